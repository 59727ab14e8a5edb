// The exponentials a SOFTMAX can meet, as TFLite's fixed-point reference computes them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/integer_op.h"

namespace tinytune {

/// Entry d is exp(-d * scale * beta) in Q0.31, for d from 0 to the last one above `diff_min`.
std::vector<int32_t> softmax_exp_table(const SoftmaxOp& op);

}  // namespace tinytune
