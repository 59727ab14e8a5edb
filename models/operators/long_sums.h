// 64-bit sums, which TFLite Micro uses for int16 activations with int64 biases, and the bounds that
// its scaling asserts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/operators/operator_view.h"

namespace tinytune {

/// Returns a constant's elements. kUnsupported: it is not int64.
Result<std::vector<int64_t>> int64_constant(const OperatorView& view, const Tensor& tensor);

/// Checks what fixed_point::scale_long() requires of bias + `terms` products of int16 values and
/// int8 weights. kUnsupported: a sum may reach 2^47, or a multiplier 2^7.
Status check_long_sums(const OperatorView& view, int64_t terms, std::span<const int64_t> bias,
                       std::span<const int32_t> shifts);

}  // namespace tinytune
