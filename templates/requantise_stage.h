// The end of every kernel: from accumulator to int8. One packed array of parameters per layer, and
// the expression that uses it.
//
// Parameters of a channel stand side by side ([channel][field]) because one base register then
// reaches all of them; registers, not loads, are what an epilogue is short of. The zero point of
// the input is folded into the bias: sum (x - z) * w + b = sum x * w + (b - z * sum w), exactly,
// modulo 2^32. All sums are unsigned for that reason: overflow of a signed sum would be undefined.
#pragma once

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "templates/kernel_template.h"

namespace Halide {
struct Expr;
class ImageParam;
}  // namespace Halide

namespace tinytune {

/// The array "params" for the kind of requantisation in `workload.facts`.
/// kUnsupported: that kind is not provable for these constants.
Result<PackedConstant> pack_requantise(const Workload& workload, const LayerData& data);

/// The bias that makes the input's zero point disappear from the sum.
int32_t folded_bias(const Workload& workload, const LayerData& data, int channel);

/// That bias, read from the array, as uint32.
Halide::Expr bias_of(const Workload& workload, const Halide::ImageParam& params,
                     const Halide::Expr& channel);

/// int8 result of a uint32 accumulator of `channel`. `clamp` is how the result is limited:
/// "branch" compares, "mask" computes (cheaper where taken branches cost extra cycles).
Halide::Expr requantise(const Workload& workload, const Halide::ImageParam& params,
                        const Halide::Expr& accumulator, const Halide::Expr& channel);

/// Fixes the array's extent so that Halide reads nothing from the buffer's struct.
void bound_params(const Workload& workload, Halide::ImageParam& params);

}  // namespace tinytune
