// Functions of one integer that are no table of 256: QUANTIZE between integers of which one is
// wider than a byte, and the rectifiers of int16. All are one form, RescaleOp.
#pragma once

#include "models/operators/operator_view.h"

namespace tinytune {

/// QUANTIZE from int8, int16 or int32. kUnsupported: a pair of types that TFLite Micro has not.
Result<IntegerOp> prepare_rescale(const OperatorView& view);

/// Of int16.
Result<IntegerOp> prepare_wide_relu(const OperatorView& view);
Result<IntegerOp> prepare_wide_relu6(const OperatorView& view);
Result<IntegerOp> prepare_wide_leaky_relu(const OperatorView& view);

}  // namespace tinytune
