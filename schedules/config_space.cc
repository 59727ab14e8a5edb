#include "schedules/config_space.h"

#include <algorithm>

#include "base/check.h"

namespace tinytune {
namespace {

Schedule schedule_at(const ConfigSpace::Family& family, const ConfigSpace::Coordinates& at) {
  std::vector<std::pair<std::string, std::string>> knobs;
  knobs.reserve(at.size());
  for (size_t k = 0; k < at.size(); ++k)
    knobs.emplace_back(family.knobs[k].name, family.knobs[k].values[at[k]]);
  return Schedule(family.template_name, family.version, std::move(knobs));
}

// Advances to the next point, the last knob varying fastest; returns false after the last point.
// Updates only the changed knobs of `schedule`: most points are illegal and a schedule is a dozen
// strings.
bool next_point(const ConfigSpace::Family& family, ConfigSpace::Coordinates& at,
                Schedule& schedule) {
  for (size_t k = at.size(); k-- > 0;) {
    const std::vector<std::string>& values = family.knobs[k].values;
    const bool carries = ++at[k] == values.size();
    if (carries) at[k] = 0;
    schedule.set_value(k, values[at[k]]);
    if (!carries) return true;
  }
  return false;
}

}  // namespace

Knob int_knob(std::string name, const std::vector<int>& values) {
  Knob knob{std::move(name), {}};
  for (int v : values) knob.values.push_back(std::to_string(v));
  return knob;
}

void ConfigSpace::add(Family family, const Constraint& legal) {
  for (const Knob& knob : family.knobs) TT_CHECK(!knob.values.empty(), "knob " + knob.name);
  const auto f = static_cast<uint32_t>(families_.size());
  Coordinates at(family.knobs.size(), 0);
  Schedule schedule = schedule_at(family, at);
  do {
    if (legal(schedule)) points_.push_back({f, at});
  } while (next_point(family, at, schedule));
  families_.push_back(std::move(family));
}

void ConfigSpace::append(const ConfigSpace& other) {
  const auto shift = static_cast<uint32_t>(families_.size());
  families_.insert(families_.end(), other.families_.begin(), other.families_.end());
  for (const Point& p : other.points_) points_.push_back({p.family + shift, p.at});
}

ConfigSpace ConfigSpace::filtered(const Constraint& keep) const {
  ConfigSpace kept;
  kept.families_ = families_;
  for (const Point& p : points_)
    if (keep(schedule_at(families_[p.family], p.at))) kept.points_.push_back(p);
  return kept;
}

Schedule ConfigSpace::schedule(size_t point) const {
  const Point& p = points_.at(point);
  return schedule_at(families_[p.family], p.at);
}

std::optional<size_t> ConfigSpace::find(size_t family, const Coordinates& at) const {
  const auto comes_before = [&](const Point& point, const Coordinates& wanted) {
    return point.family != family ? point.family < family : point.at < wanted;
  };
  const auto found = std::lower_bound(points_.begin(), points_.end(), at, comes_before);
  if (found == points_.end() || found->family != family || found->at != at) return std::nullopt;
  return static_cast<size_t>(found - points_.begin());
}

std::optional<size_t> ConfigSpace::find(const Schedule& schedule) const {
  for (size_t f = 0; f < families_.size(); ++f) {
    const Family& family = families_[f];
    if (family.template_name != schedule.template_name() || family.version != schedule.version() ||
        family.knobs.size() != schedule.knobs().size())
      continue;
    Coordinates at;
    for (const Knob& knob : family.knobs) {
      if (!schedule.has(knob.name)) break;
      const auto value = std::find(knob.values.begin(), knob.values.end(), schedule.get(knob.name));
      if (value == knob.values.end()) break;
      at.push_back(static_cast<uint16_t>(value - knob.values.begin()));
    }
    if (at.size() != family.knobs.size()) continue;
    if (const auto point = find(f, at)) return point;
  }
  return std::nullopt;
}

}  // namespace tinytune
