#include "records/records.h"

#include <utility>

namespace tinytune {
namespace {

std::string key_of(std::string_view workload, std::string_view schedule) {
  return std::string(workload) + '\n' + std::string(schedule);
}

std::string counted(size_t n) { return std::to_string(n) + (n == 1 ? " record" : " records"); }

}  // namespace

Records::Records(std::span<const Measurement> measurements, const Scope& scope,
                 const IsCurrent& is_current) {
  for (const Measurement& m : measurements) {
    if (m.device_hash != scope.device_hash) {
      ++other_device_;
      continue;
    }
    // What could not be built cannot be run anywhere: such a record belongs to every scope.
    if (m.fidelity != scope.fidelity && m.fidelity != Fidelity::kBuild) {
      ++other_fidelity_;
      continue;
    }
    const Result<Schedule> schedule = parse_schedule(m.schedule);
    if (!schedule || !is_current(m.workload, *schedule)) {
      ++other_version_;
      continue;
    }
    add(m);
  }
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

const Measurement* Records::find(std::string_view workload, std::string_view schedule) const {
  const auto at = by_key_.find(key_of(workload, schedule));
  return at == by_key_.end() ? nullptr : &kept_[at->second];
}

std::vector<const Measurement*> Records::of(std::string_view workload) const {
  std::vector<const Measurement*> found;
  const auto at = by_workload_.find(std::string(workload));
  if (at == by_workload_.end()) return found;
  for (size_t index : at->second.all) found.push_back(&kept_[index]);
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
  const std::string key = key_of(measurement.workload, measurement.schedule);
  const auto [at, is_new] = by_key_.emplace(key, kept_.size());
  if (!is_new) {
    const bool was_lost = kept_[at->second].outcome == Outcome::kLost;
    if (was_lost && measurement.outcome != Outcome::kLost)
      replace(at->second, std::move(measurement));
    return;
  }
  by_workload_[measurement.workload].all.push_back(kept_.size());
  kept_.emplace_back();
  replace(at->second, std::move(measurement));
}

void Records::replace(size_t at, Measurement measurement) {
  OfWorkload& same = by_workload_[measurement.workload];
  if (const auto cycles = measurement.median_cycles()) {
    ++same.valid;
    if (!same.best || *cycles < *kept_[*same.best].median_cycles()) same.best = at;
  }
  kept_[at] = std::move(measurement);
}

}  // namespace tinytune
