// Layers for tests, with random constants that reach the corner cases of requantisation.
#pragma once

#include <algorithm>
#include <string>

#include "base/rng.h"
#include "schedules/layer_data.h"
#include "schedules/weight_facts.h"
#include "schedules/workload.h"

namespace tinytune {

struct RandomLayer {
  Workload workload;
  LayerData data;
};

enum class Scales {
  kTypical,  ///< right shifts of 6 to 10, as converters write
  /// Typical but for two channels: one with a multiplier of 0, one with a scale from 1/2 to 16.
  kOddChannels,
  kExtreme,  ///< left shifts, shifts of zero, multipliers of zero, wide accumulators too
};

inline std::string name_of(Scales scales) {
  return scales == Scales::kTypical       ? "Typical"
         : scales == Scales::kOddChannels ? "OddChannels"
                                          : "Extreme";
}

/// Fills in weights, biases and scales for the shape in `workload`, and its facts.
inline RandomLayer random_layer(Workload workload, Scales scales, uint64_t seed) {
  Rng rng(seed);
  LayerData data;
  for (int64_t i = 0; i < workload.weight_bytes(); ++i) {
    // Bell-shaped, like trained weights, so that facts are not all "impossible".
    int sum = 0;
    for (int k = 0; k < 4; ++k) sum += static_cast<int>(rng.below(81)) - 40;
    data.weights.push_back(static_cast<int8_t>(std::clamp(sum, -127, 127)));
  }
  for (int c = 0; c < workload.out_c; ++c) {
    data.bias.push_back(static_cast<int32_t>(rng.below(8001)) - 4000);
    data.multiplier.push_back((1 << 30) + static_cast<int32_t>(rng.below(1u << 30)));
    data.shift.push_back(-6 - static_cast<int>(rng.below(5)));
    if (scales != Scales::kExtreme) continue;
    const auto at = static_cast<size_t>(c);
    switch (rng.below(6)) {
      case 0:
        data.shift[at] = 0;
        break;
      case 1:
        data.shift[at] = 1 + static_cast<int>(rng.below(4));
        break;
      case 2:
        data.multiplier[at] = 0, data.shift[at] = 0;
        break;
      case 3:
        data.shift[at] = -31;
        break;
      case 4:
        data.bias[at] = rng.below(2) == 0 ? (1 << 30) : -(1 << 30);
        break;
      default:
        break;
    }
  }
  if (scales == Scales::kOddChannels) {
    const auto dead = rng.below(data.shift.size()), steep = rng.below(data.shift.size());
    data.multiplier[dead] = 0, data.shift[dead] = 0;
    data.multiplier[steep] = (1 << 30) + static_cast<int32_t>(rng.below(1u << 30));
    data.shift[steep] = static_cast<int>(rng.below(5));
    data.bias[steep] = static_cast<int32_t>(rng.below(9)) - 4;
    // Few weights, and small: else every output of such a channel is clamped.
    for (size_t i = 0; i < data.weights.size(); ++i) {
      const auto channel = workload.op == OpKind::kDepthwiseConv2d
                               ? i % data.shift.size()
                               : i / static_cast<size_t>(workload.reduction());
      if (channel == steep)
        data.weights[i] = static_cast<int8_t>(rng.below(16) == 0 ? rng.below(3) : 1) - 1;
    }
  }
  if (workload.rounding == Rounding::kHalfToEven)  // its scales are floats: 24 bits
    for (int32_t& multiplier : data.multiplier) multiplier &= ~0x7f;
  if (workload.rounding == Rounding::kMultiplyAdd)  // up to 100 levels, in thousandths of one
    for (const int32_t shift : data.shift) {
      const int64_t level = int64_t{1} << (31 - shift);
      data.addend.push_back(level / 1000 * (static_cast<int64_t>(rng.below(200'001)) - 100'000));
    }
  workload.facts = prove_facts(workload, data);
  return {workload, data};
}

/// A workload of 16 inputs and 6 outputs of one pixel.
inline Workload small_layer(int output_zero_point, Rounding rounding = Rounding::kTwice) {
  Workload w;
  w.in_c = 16, w.out_c = 6;
  w.input_zero_point = -128, w.output_zero_point = output_zero_point;
  w.rounding = rounding;
  return w;
}

/// Multipliers of 1/2 make the scaled sum half the sum. If the first of the `in_c` inputs of each
/// pixel takes all values, sums reach all small numbers: ties of either sign, at six shifts from
/// `least` on.
inline RandomLayer layer_of_halves(int in_c, int least) {
  RandomLayer layer{*parse_workload("conv2d_s8 nhwc n1 in16x16x" + std::to_string(in_c) +
                                    " out16x16x12 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,3 act-128,127 "
                                    "lane1 long"),
                    {}};
  for (int c = 0; c < layer.workload.out_c; ++c) {
    for (int k = 0; k < layer.workload.in_c; ++k) layer.data.weights.push_back(k == 0 ? 1 : 0);
    layer.data.bias.push_back(c % 3 - 1);
    layer.data.multiplier.push_back(1 << 30);
    layer.data.shift.push_back(-(least + c % 6));
  }
  layer.workload.facts = prove_facts(layer.workload, layer.data);
  return layer;
}

}  // namespace tinytune
