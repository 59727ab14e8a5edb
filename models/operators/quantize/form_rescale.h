// Functions of one integer that exceed a table of 256: QUANTIZE between integers of which one is
// wider than a byte, and the rectifiers of int16. All have one form, RescaleOp.
#pragma once

#include "models/operators/operator_view.h"

namespace tinytune {

/// QUANTIZE from int8, int16 or int32. kUnsupported: a pair of types that TFLite Micro lacks.
Result<IntegerOp> prepare_rescale(const OperatorView& view);

/// RELU, RELU6 and LEAKY_RELU of int16.
Result<IntegerOp> prepare_wide_relu(const OperatorView& view);
Result<IntegerOp> prepare_wide_relu6(const OperatorView& view);
Result<IntegerOp> prepare_wide_leaky_relu(const OperatorView& view);

}  // namespace tinytune
