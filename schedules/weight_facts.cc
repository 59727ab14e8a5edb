#include "schedules/weight_facts.h"

#include <algorithm>
#include <cstdlib>

#include "schedules/requantise.h"
#include "schedules/stepped_requantise.h"

namespace tinytune {
namespace {

constexpr int kLargestGroup = 64;

bool group_fits(const std::vector<int8_t>& weights, size_t group) {
  const std::span<const int8_t> all(weights);
  for (size_t at = 0; at < all.size(); at += group)
    if (!fits_lane(all.subspan(at, std::min(group, all.size() - at)))) return false;
  return true;
}

}  // namespace

bool fits_lane(std::span<const int8_t> weights) {
  int64_t sum = 0;
  for (const int8_t weight : weights) sum += std::abs(weight);
  return 128 * sum <= 32767;
}

WeightFacts prove_facts(const Workload& workload, const LayerData& data) {
  WeightFacts facts;
  facts.lane_group = kLargestGroup;
  for (int c = 0; c < workload.out_c; ++c) {
    const auto weights = channel_weights(workload, data, c);
    while (facts.lane_group > 1 && !group_fits(weights, static_cast<size_t>(facts.lane_group)))
      facts.lane_group /= 2;
  }
  if (fuse_requantise(workload, data)) {
    facts.requantise = Requantise::kFused;
  } else if (workload.rounding != Rounding::kTwice) {
    if (step_requantise(workload, data)) facts.requantise = Requantise::kStepped;
  } else if (short_requantise_proved(workload, data)) {
    facts.requantise = Requantise::kShort;
  } else if (shifted_requantise_proved(workload, data)) {
    facts.requantise = Requantise::kShifted;
  }
  return facts;
}

bool facts_hold(const Workload& workload, const LayerData& data) {
  const auto group = static_cast<size_t>(workload.facts.lane_group);
  for (int c = 0; c < workload.out_c; ++c)
    if (!group_fits(channel_weights(workload, data, c), group)) return false;
  switch (workload.facts.requantise) {
    case Requantise::kLong:
      return workload.rounding == Rounding::kTwice;
    case Requantise::kShifted:
      return workload.rounding == Rounding::kTwice && shifted_requantise_proved(workload, data);
    case Requantise::kShort:
      return workload.rounding == Rounding::kTwice && short_requantise_proved(workload, data);
    case Requantise::kFused:
      return fuse_requantise(workload, data).has_value();
    case Requantise::kStepped:
      return step_requantise(workload, data).has_value();
  }
  return false;
}

}  // namespace tinytune
