// The form of SVDF.
#pragma once

#include <cstdint>
#include <vector>

namespace tinytune {

/// SVDF: each filter keeps its last `memory` features as state, which is weighted over time; `rank`
/// filters make a unit. Its inputs are the input and the state, which it also writes.
struct SvdfOp {
  int batch = 1, inputs = 1, filters = 1, memory = 1, rank = 1;
  int32_t input_offset = 0, state_zero_point = 0, output_offset = 0;
  int32_t feature_multiplier = 0, time_multiplier = 0;
  int feature_shift = 0, time_shift = 0;
  /// State and time weights are int16, else int8. A new feature is clamped to the state's type
  /// before the zero point is added, and the sum wraps: TFLite Micro's int8 state does so.
  bool wide = true;
  std::vector<int8_t> feature_weights;  ///< [filters][inputs]
  std::vector<int16_t> time_weights;    ///< [filters][memory]
  std::vector<int32_t> bias;            ///< [filters / rank]
  int units() const { return filters / rank; }
  int64_t macs() const { return int64_t{batch} * filters * (inputs + memory); }
};

}  // namespace tinytune
