#include "schedules/config_space.h"

#include <algorithm>

#include "base/check.h"

namespace tinytune {
namespace {

/// Nothing where a coordinate is no value of its knob.
std::optional<uint64_t> place_of(const ConfigSpace::Family& family,
                                 const ConfigSpace::Coordinates& at) {
  if (at.size() != family.knobs.size()) return std::nullopt;
  uint64_t place = 0;
  for (size_t k = 0; k < at.size(); ++k) {
    const size_t values = family.knobs[k].values.size();
    if (at[k] >= values) return std::nullopt;
    place = place * values + at[k];
  }
  return place;
}

Schedule schedule_at(const ConfigSpace::Family& family, const ConfigSpace::Coordinates& at) {
  std::vector<std::pair<std::string, std::string>> knobs;
  knobs.reserve(at.size());
  for (size_t k = 0; k < at.size(); ++k)
    knobs.emplace_back(family.knobs[k].name, family.knobs[k].values[at[k]]);
  return Schedule(family.template_name, family.version, std::move(knobs));
}

// The odometer: the last knob varies fastest. Changes what differs of the point's schedule, since
// most points are refused and a schedule is a dozen texts. Returns false after the last point.
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
  families_.push_back(std::move(family));
  ends_.push_back(points_.size());
  do {
    if (legal(schedule)) add({f, at});
  } while (next_point(families_.back(), at, schedule));
}

void ConfigSpace::append(const ConfigSpace& other) {
  const auto shift = static_cast<uint32_t>(families_.size());
  families_.insert(families_.end(), other.families_.begin(), other.families_.end());
  ends_.resize(families_.size(), points_.size());
  for (const Point& p : other.points_) add({p.family + shift, p.at});
}

void ConfigSpace::add(Point point) {
  places_.push_back(place_of(families_[point.family], point.at).value());
  points_.push_back(std::move(point));
  std::fill(ends_.begin() + points_.back().family, ends_.end(), points_.size());
}

ConfigSpace ConfigSpace::filtered(const Constraint& keep) const {
  ConfigSpace kept;
  kept.families_ = families_;
  kept.ends_.resize(families_.size(), 0);
  for (const Point& p : points_)
    if (keep(schedule_at(families_[p.family], p.at))) kept.add(p);
  return kept;
}

Schedule ConfigSpace::schedule(size_t point) const {
  const Point& p = points_.at(point);
  return schedule_at(families_[p.family], p.at);
}

std::optional<size_t> ConfigSpace::find(size_t family, const Coordinates& at) const {
  if (family >= families_.size()) return std::nullopt;
  const std::optional<uint64_t> place = place_of(families_[family], at);
  if (!place) return std::nullopt;
  const auto begin = places_.begin() + static_cast<long>(family == 0 ? 0 : ends_[family - 1]);
  const auto end = places_.begin() + static_cast<long>(ends_[family]);
  const auto found = std::lower_bound(begin, end, *place);
  if (found == end || *found != *place) return std::nullopt;
  return static_cast<size_t>(found - places_.begin());
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
