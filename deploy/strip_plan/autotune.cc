#include "deploy/strip_plan/autotune.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tinytune {

Result<Candidate> StripAutotuner::fastest(uint64_t arena_bytes) && {
  if (best_) {
    if (!run_(*best_)) return std::move(best_);
    fewest_cycles_ = best_->ran->footprint.cycles;
  }
  bool tells = try_within(search_, arena_bytes);
  // Again, with the waits that the runs have measured.
  if (tells && !slow_.empty()) tells = try_within(search_, arena_bytes);
  if (tells && counted_ != nullptr) tells = try_within(*counted_, arena_bytes);
  if (tells) try_groups_of_others();
  return std::move(best_);
}

bool StripAutotuner::try_within(const StripOrders& search, uint64_t arena_bytes) {
  constexpr size_t kMostRun = 6;
  const size_t run_before = run_count_;
  for (const StripPlan& plan : search.up_to(arena_bytes, slow_)) {
    if (run_count_ == run_before + kMostRun) break;
    if (!try_plan(plan)) return false;
  }
  return true;
}

// Replaces groups of the best plan by those of other plans: the room for scratch that is best for
// one group's kernels may be more than another's need.
bool StripAutotuner::try_groups_of_others() {
  const std::vector<StripPlan> plans = tried_;
  for (size_t g = 0; g < best_plan_.groups.size(); ++g)
    for (const StripPlan& from : plans)
      for (const StripGroup& other : from.groups) {
        const StripGroup& own = best_plan_.groups[g];
        if (from.early_shortcuts != best_plan_.early_shortcuts || other.first != own.first ||
            other.last != own.last)
          continue;
        StripPlan plan = best_plan_;
        plan.groups[g] = other;
        if (!try_plan(plan)) return false;
      }
  return true;
}

bool StripAutotuner::try_plan(const StripPlan& plan) {
  if (std::find(tried_.begin(), tried_.end(), plan) != tried_.end()) return true;
  tried_.push_back(plan);
  Result<Candidate> candidate = generate_(plan);
  if (!candidate) {
    if (!best_) best_ = std::move(candidate);
    return true;
  }
  const Status ran = run_(*candidate);
  if (!ran && ran.error().code() == ErrorCode::kFailed) {  // too large for the device
    if (!best_) best_ = ran.error();
    return true;
  }
  ++run_count_;
  if (!ran) {
    if (!best_) best_ = std::move(candidate);
    return false;
  }
  learn(*candidate->ran);
  const uint64_t cycles = candidate->ran->footprint.cycles;
  if (cycles >= fewest_cycles_) return true;
  best_ = std::move(candidate);
  fewest_cycles_ = cycles;
  best_plan_ = plan;
  return true;
}

// Marks layers that wait longer for weights than they compute, at about one cycle per product. A
// group of strips is reported as one layer.
void StripAutotuner::learn(const RunReport& report) {
  std::map<int, int64_t> macs;
  const auto carrier_of = [](const LayerCost& layer) {
    return layer.fused_into.value_or(layer.index);
  };
  for (const LayerCost& layer : report.layers) macs[carrier_of(layer)] += layer.macs_executed;
  for (const LayerCost& told : report.layers) {
    if (static_cast<int64_t>(told.read_wait_cycles) <= macs[told.index]) continue;
    for (const LayerCost& layer : report.layers)
      if (carrier_of(layer) == told.index) slow_.insert(layer.index);
  }
}

}  // namespace tinytune
