#include "schedules/weight_facts.h"

#include <algorithm>
#include <cstdlib>

#include "schedules/requantise.h"

namespace tinytune {
namespace {

constexpr int kLargestGroup = 64;

bool group_fits(const std::vector<int8_t>& weights, size_t group) {
  for (size_t at = 0; at < weights.size(); at += group) {
    int sum = 0;
    for (size_t i = at; i < std::min(at + group, weights.size()); ++i) sum += std::abs(weights[i]);
    if (128 * sum > 32767) return false;
  }
  return true;
}

}  // namespace

WeightFacts prove_facts(const Workload& workload, const LayerData& data) {
  WeightFacts facts;
  facts.lane_group = kLargestGroup;
  for (int c = 0; c < workload.out_c; ++c) {
    const auto weights = channel_weights(workload, data, c);
    while (facts.lane_group > 1 && !group_fits(weights, static_cast<size_t>(facts.lane_group)))
      facts.lane_group /= 2;
  }
  if (short_requantise_proved(workload, data)) {
    facts.requantise = fuse_requantise(workload, data) ? Requantise::kFused : Requantise::kShort;
  }
  return facts;
}

}  // namespace tinytune
