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

/// int8 activations with weights of int8 or int4.
Status check_kernel_types(const OperatorView& view, const KernelOperands& t);

/// Multipliers, bias and clamps of int8; `op.workload` already has its shapes.
Status fill_constants(const OperatorView& view, const KernelOperands& t, int channel_axis,
                      size_t bias, Activation activation, KernelOp& op);

/// FULLY_CONNECTED with computed weights or bias: int8 weights, activations of int8 or int16.
Status check_computed_types(const OperatorView& view, const KernelOperands& t);

/// FULLY_CONNECTED of that shape and such types whose weights or bias are computed, of int8 or
/// int16.
Result<IntegerOp> prepare_computed_dense(const OperatorView& view, const KernelOperands& t,
                                         const Workload& shape, Activation activation);

/// int16 activations with int8 weights.
Status check_wide_types(const OperatorView& view, const KernelOperands& t);

/// The form of such an operator, whose extents and window `shape` has; its bias is input 2.
Result<IntegerOp> prepare_wide_kernel(const OperatorView& view, const KernelOperands& t,
                                      const Workload& shape, int channel_axis,
                                      Activation activation);

}  // namespace tinytune
