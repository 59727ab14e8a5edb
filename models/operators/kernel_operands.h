// What CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of int8 and of int16 activations share.
#pragma once

#include <vector>

#include "models/operators/operator_view.h"
#include "models/quantise.h"

namespace tinytune {

struct KernelOperands {
  const Tensor& input;
  const Tensor& weights;
  const Tensor& output;
};

/// Constant, quantised, without zero points.
Status check_weights(const OperatorView& view, const KernelOperands& t);

/// By output channel. kUnsupported: one is too large.
Result<std::vector<QuantizedMultiplier>> channel_multipliers(const OperatorView& view,
                                                             const KernelOperands& t,
                                                             const Workload& w, int channel_axis);

/// int16 activations with int8 weights.
Status check_wide_types(const OperatorView& view, const KernelOperands& t);

/// The form of such an operator, whose extents and window `shape` has; its bias is input 2.
Result<IntegerOp> prepare_wide_kernel(const OperatorView& view, const KernelOperands& t,
                                      const Workload& shape, int channel_axis,
                                      Activation activation);

}  // namespace tinytune
