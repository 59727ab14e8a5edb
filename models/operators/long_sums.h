// Sums of 64 bits, which TFLite Micro has where int16 activations meet int64 biases, and what its
// scaling of them asserts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/operators/operator_view.h"

namespace tinytune {

/// A constant's elements. kUnsupported: it is not int64.
Result<std::vector<int64_t>> int64_constant(const OperatorView& view, const Tensor& tensor);

/// What fixed_point::scale_long() takes for granted of bias + the products of `terms` int16 values
/// and int8 weights. kUnsupported: some sum may reach 2^47, or some multiplier 2^7.
Status check_long_sums(const OperatorView& view, int64_t terms, std::span<const int64_t> bias,
                       std::span<const int32_t> shifts);

}  // namespace tinytune
