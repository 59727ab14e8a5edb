#include "records/records.h"

#include <algorithm>
#include <utility>

#include "schedules/workload.h"

namespace tinytune {
namespace {

size_t key_of(std::string_view workload, std::string_view schedule) {
  const std::hash<std::string_view> hash;
  return hash(workload) * 31 + hash(schedule);
}

/// Parses each text once: a million records have some thousand different schedules.
class SchedulesByText {
 public:
  /// Null: not a schedule.
  const Schedule* find(const std::string& text) {
    auto known = known_.find(text);
    if (known == known_.end()) {
      Result<Schedule> read = parse_schedule(text);
      known = known_.emplace(text, read ? std::optional(std::move(*read)) : std::nullopt).first;
    }
    return known->second ? &*known->second : nullptr;
  }

 private:
  std::unordered_map<std::string, std::optional<Schedule>> known_;
};

/// Returns shape_text(); a text that does not parse as a workload is its own shape.
std::string shape_of(const std::string& text) {
  const auto workload = parse_workload(text);
  return workload ? shape_text(*workload) : text;
}

void sort_by_cycles(std::vector<const Measurement*>& ok) {
  std::stable_sort(ok.begin(), ok.end(), [](const Measurement* a, const Measurement* b) {
    return *a->median_cycles() < *b->median_cycles();
  });
}

std::string counted(size_t n) { return std::to_string(n) + (n == 1 ? " record" : " records"); }

}  // namespace

Records::Records(std::vector<Measurement> measurements, const Scope& scope,
                 const IsCurrent& is_current)
    : kept_(std::move(measurements)), fidelity_(scope.fidelity) {
  SchedulesByText schedules;
  const auto is_counted = [&](const Measurement& m) {
    if (m.device_hash != scope.device_hash) {
      ++other_device_;
      return false;
    }
    // A schedule that cannot be built cannot run anywhere: such a record belongs to every scope.
    if (m.fidelity != scope.fidelity && m.fidelity != Fidelity::kBuild) {
      ++other_fidelity_;
      return false;
    }
    const Schedule* schedule = schedules.find(m.schedule);
    if (schedule == nullptr || !is_current(m.workload, *schedule)) {
      ++other_version_;
      return false;
    }
    return true;
  };
  // Filters in place, as there may be a million records.
  const size_t all = kept_.size();
  size_t kept = 0;
  by_key_.reserve(all);
  for (size_t i = 0; i < all; ++i)
    if (is_counted(kept_[i]) && put(kept, std::move(kept_[i]))) ++kept;
  kept_.resize(kept);
}

std::string Records::ignored_message() const {
  std::string message;
  const auto add = [&message](size_t n, const std::string& of_what) {
    if (n == 0) return;
    message += (message.empty() ? counted(n) : ", " + std::to_string(n)) + of_what;
  };
  add(other_device_, " of another device file");
  add(other_fidelity_, " of another kind of measuring");
  add(other_version_, " of another space version");
  return message.empty() ? message : message + " ignored";
}

std::optional<size_t> Records::place_of(std::string_view workload,
                                        std::string_view schedule) const {
  const auto [begin, end] = by_key_.equal_range(key_of(workload, schedule));
  for (auto at = begin; at != end; ++at)
    if (kept_[at->second].workload == workload && kept_[at->second].schedule == schedule)
      return at->second;
  return std::nullopt;
}

const Measurement* Records::find(std::string_view workload, std::string_view schedule) const {
  const std::optional<size_t> at = place_of(workload, schedule);
  return at ? &kept_[*at] : nullptr;
}

std::vector<const Measurement*> Records::of(std::string_view workload) const {
  std::vector<const Measurement*> found;
  const auto at = by_workload_.find(std::string(workload));
  if (at == by_workload_.end()) return found;
  for (size_t index : at->second.all) found.push_back(&kept_[index]);
  return found;
}

std::vector<const Measurement*> Records::fastest_first(std::string_view workload) const {
  std::vector<const Measurement*> found = of(workload);
  std::erase_if(found, [](const Measurement* m) { return !m->median_cycles(); });
  sort_by_cycles(found);
  return found;
}

std::vector<const Measurement*> Records::of_shape(const std::string& workload) const {
  std::vector<const Measurement*> found;
  const auto same = by_shape_.find(shape_of(workload));
  if (same == by_shape_.end()) return found;
  for (const std::string& other : same->second)
    if (other != workload)
      for (const Measurement* m : of(other))
        if (m->median_cycles()) found.push_back(m);
  sort_by_cycles(found);
  return found;
}

const Measurement* Records::best(std::string_view workload) const {
  const auto at = by_workload_.find(std::string(workload));
  return at == by_workload_.end() || !at->second.best ? nullptr : &kept_[*at->second.best];
}

Records::Tally Records::tally(std::string_view workload) const {
  const auto at = by_workload_.find(std::string(workload));
  if (at == by_workload_.end()) return {};
  return {at->second.all.size(), at->second.valid};
}

void Records::add(Measurement measurement) {
  kept_.emplace_back();
  if (!put(kept_.size() - 1, std::move(measurement))) kept_.pop_back();
}

bool Records::put(size_t at, Measurement&& measurement) {
  if (const auto known = place_of(measurement.workload, measurement.schedule)) {
    const bool was_lost = kept_[*known].outcome == Outcome::kLost;
    if (!was_lost || measurement.outcome == Outcome::kLost) return false;
    kept_[*known] = std::move(measurement);
    count(*known, by_workload_[kept_[*known].workload]);
    return false;
  }
  if (&kept_[at] != &measurement) kept_[at] = std::move(measurement);
  const Measurement& m = kept_[at];
  by_key_.emplace(key_of(m.workload, m.schedule), at);
  OfWorkload& same = by_workload_[m.workload];
  if (same.all.empty()) by_shape_[shape_of(m.workload)].push_back(m.workload);
  same.all.push_back(at);
  count(at, same);
  return true;
}

void Records::count(size_t at, OfWorkload& same) {
  const auto cycles = kept_[at].median_cycles();
  if (!cycles) return;
  ++same.valid;
  if (!same.best || *cycles < *kept_[*same.best].median_cycles()) same.best = at;
}

}  // namespace tinytune
