// Checks and constants shared by CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of int8 and int16.
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

/// Requires constant, quantised weights without zero points.
Status check_weights(const OperatorView& view, const KernelOperands& t);

/// Returns the multipliers by output channel. kUnsupported: one is too large.
Result<std::vector<QuantizedMultiplier>> channel_multipliers(const OperatorView& view,
                                                             const KernelOperands& t,
                                                             const Workload& w, int channel_axis);

/// Requires int8 activations with weights of int8 or int4.
Status check_kernel_types(const OperatorView& view, const KernelOperands& t);

/// Fills in multipliers, weights, bias and clamp of int8; `op.workload` already has its shapes.
Status fill_constants(const OperatorView& view, const KernelOperands& t, int channel_axis,
                      size_t bias, Activation activation, KernelOp& op);

/// Requires, for computed weights or bias, int8 weights and activations of int8 or int16.
Status check_computed_types(const OperatorView& view, const KernelOperands& t);

/// Returns FULLY_CONNECTED of this shape and such types, with computed weights or bias.
Result<IntegerOp> prepare_computed_dense(const OperatorView& view, const KernelOperands& t,
                                         const Workload& shape, Activation activation);

/// Requires int16 activations with int8 weights.
Status check_wide_types(const OperatorView& view, const KernelOperands& t);

/// Returns the form of such an operator with the extents and window of `shape`. Input 2: the bias.
Result<IntegerOp> prepare_wide_kernel(const OperatorView& view, const KernelOperands& t,
                                      const Workload& shape, int channel_axis,
                                      Activation activation);

}  // namespace tinytune
