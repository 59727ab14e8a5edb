// A transposed convolution as the convolution of all its phases (transpose_conv/phases.h).
//
// A row of its pixels holds as many rows of the image as the stride, pixel by pixel: these are
// separated in place.
#pragma once

#include <optional>

#include "models/integer_op.h"

namespace tinytune {

/// Of every sum the same terms, and zeros. Nothing where the output has incomplete phases or most
/// taps would be zeros.
std::optional<KernelOp> convolution_of(const TransposeConvOp& op);

/// What separates the rows of an image of which each pixel of this workload's output holds `rows`,
/// one above the other; nothing where they are separate.
std::optional<RunTransposition> separated_rows(const Workload& workload, int rows);

}  // namespace tinytune
