// A transposed convolution as the convolution of all its phases (transpose_conv/phases.h).
//
// A row of its pixels holds as many rows of the image as the stride, interleaved pixel by pixel:
// these are separated in place.
#pragma once

#include <optional>

#include "models/integer_op.h"

namespace tinytune {

/// Returns the convolution whose sums have the same terms, and zeros. Nothing where the strides do
/// not divide the output, or more than 5 of 9 taps would be zeros.
std::optional<KernelOp> convolution_of(const TransposeConvOp& op);

/// Returns the transposition that makes an image of this workload's output, whose pixels each hold
/// blocks of `rows` rows. Nothing where the bytes are in the image's order already.
std::optional<RunTransposition> separated_rows(const Workload& workload, int rows);

}  // namespace tinytune
