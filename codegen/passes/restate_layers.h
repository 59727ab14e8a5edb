// A layer restated: the same arithmetic on the same bytes, as the workload with the fastest
// kernels.
//
// Templates know shapes, not what a converter calls them. Rows of a matrix are pixels of a 1x1
// convolution; a column of pixels is a row of them; one channel that a depthwise layer multiplies
// is a convolution's one input channel; a transposed convolution is one of all its phases, whose
// pixels are moved afterwards (transposed_convolution.h). Nothing is copied and every sum has the
// same terms, so all that changes is which loops a template writes. A record's workload is the
// restated one.
#pragma once

#include "models/integer_op.h"

namespace tinytune {

/// The workload and its constants; as they were where no restatement is known to be faster, and in
/// NCHW. What is proved of the constants (WeightFacts) stays true.
KernelOp restated(KernelOp op);

}  // namespace tinytune
