#include "models/generated_constants.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/rng.h"
#include "models/quantise.h"
#include "schedules/weight_facts.h"

namespace tinytune {
namespace {

constexpr int kUsualWeight = 40;  ///< largest magnitude of each of a weight's four summands

/// Limits on |weight| and on the scales.
struct Tameness {
  int largest = 127;
  /// Lowest right shift: scales are below 2^-shift.
  int least_shift = 1;
};

double deviation_of(const std::vector<int8_t>& weights) {
  double squares = 1;
  for (const int8_t weight : weights) squares += double{1} * weight * weight;
  return std::sqrt(squares / static_cast<double>(std::max<size_t>(1, weights.size())));
}

LayerData generate(const Workload& w, uint64_t seed, const Tameness& tameness) {
  Rng rng(seed);
  LayerData data;
  for (int64_t i = 0; i < w.weight_bytes(); ++i) {
    int sum = 0;
    for (int k = 0; k < 4; ++k)
      sum += static_cast<int>(rng.below(2 * kUsualWeight + 1)) - kUsualWeight;
    data.weights.push_back(
        static_cast<int8_t>(std::clamp(sum, -tameness.largest, tameness.largest)));
  }
  // Standard deviations: uniform inputs 74; outputs 64, which use int8's range and seldom leave it.
  const double spread =
      74 * deviation_of(data.weights) * std::sqrt(static_cast<double>(w.reduction()));
  const double highest = std::ldexp(1.0, -tameness.least_shift);
  for (int channel = 0; channel < w.out_c; ++channel) {
    const double scale = std::min(64 / spread * (0.5 + rng.uniform()), highest * 0.999);
    const QuantizedMultiplier fixed = quantize_multiplier(scale);
    data.multiplier.push_back(fixed.multiplier);
    data.shift.push_back(fixed.shift);
    if (w.rounding == Rounding::kMultiplyAdd)  // to nearest
      data.addend.push_back(int64_t{1} << (30 - fixed.shift));
    const auto most = static_cast<uint64_t>(spread) + 1;
    data.bias.push_back(static_cast<int32_t>(rng.below(2 * most + 1)) - static_cast<int32_t>(most));
  }
  return data;
}

}  // namespace

LayerData generate_constants(const Workload& workload, uint64_t seed) {
  return generate(workload, seed, {});
}

Result<LayerData> generate_constants_with_facts(const Workload& workload, uint64_t seed) {
  // The magnitudes of a group of weights may add up to 255 (fits_lane()).
  const int largest = workload.facts.lane_group <= 2 ? 127 : 255 / workload.facts.lane_group;
  for (const int least_shift : {1, 4, 8}) {
    LayerData data = generate(workload, seed, {largest, least_shift});
    if (facts_hold(workload, data)) return data;
  }
  return Error(ErrorCode::kUnsupported,
               "no constants with lane" + std::to_string(workload.facts.lane_group) + " " +
                   std::string(name_of(workload.facts.requantise)) +
                   " were found for this workload; state fewer facts, or give the constants");
}

}  // namespace tinytune
