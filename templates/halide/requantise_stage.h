// The end of kernels written in Halide: from accumulator to int8.
//
// The words are those of channel_params.h. All sums are unsigned, because they wrap on the way:
// overflow of a signed sum would be undefined.
#pragma once

#include "schedules/workload.h"

namespace Halide {
struct Expr;
class ImageParam;
}  // namespace Halide

namespace tinytune {

inline constexpr int kBiasWords = 1;  ///< of a channel in "params", before those of requantisation

/// The folded bias, read from the array, as uint32.
Halide::Expr bias_of(const Workload& workload, const Halide::ImageParam& params,
                     const Halide::Expr& channel);

/// int8 result of a uint32 accumulator of `channel`.
Halide::Expr requantise(const Workload& workload, const Halide::ImageParam& params,
                        const Halide::Expr& accumulator, const Halide::Expr& channel);

/// Fixes the array's extent so that Halide reads nothing from the buffer's struct.
void bound_params(const Workload& workload, Halide::ImageParam& params);

}  // namespace tinytune
