// The logistic function and tanh of 16 bits as C text (models/reference/gate_functions.h). Their
// first argument is logistic_table().
#pragma once

#include "codegen/operators/shared_functions.h"

namespace tinytune {

/// between_points(table, x, bits): 2^bits times the function of `table` at x / 2^bits.
extern const SharedFunction kBetweenPoints;

/// tanh_16(table, x) and scaled_logistic_16(table, x), 15 fraction bits, of x in units of 1 /
/// 12288.
extern const SharedFunction kTanh, kScaledLogistic;

}  // namespace tinytune
