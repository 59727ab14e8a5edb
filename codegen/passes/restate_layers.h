// A layer restated: the same arithmetic on the same bytes, as the workload with the fastest
// kernels.
//
// Templates know shapes, not a converter's names for them. Rows of a matrix are pixels of a 1x1
// convolution; a column of pixels is a row of them; a depthwise layer of one input channel is a
// convolution; a transposed convolution is a convolution of all its phases, whose pixels are moved
// afterwards (transposed_convolution.h). Nothing is copied and every sum has the same terms, so
// only the loops that a template writes change. A record's workload is the restated one.
#pragma once

#include "models/integer_op.h"

namespace tinytune {

/// Returns the restated workload and its constants; unchanged if no restatement is known to be
/// faster, and in NCHW. WeightFacts stay true.
KernelOp restated(KernelOp op);

}  // namespace tinytune
