// A tensor's scale in the float32 arithmetic of ONNX's operators (ADR 76).
#pragma once

#include <algorithm>
#include <cmath>

#include "models/operators/operator_view.h"

namespace tinytune {

struct FloatScale {
  float scale = 1;
  int zero = 0;
  explicit FloatScale(const Tensor& t)
      : scale(t.quantization.scales[0]), zero(t.quantization.zero_points[0]) {}

  /// DequantizeLinear of an int8.
  float real(int x) const { return static_cast<float>(x - zero) * scale; }
  /// Rounds to the nearest integer, halves to even; clamps to an int far beyond any byte.
  static int whole(float value) {
    return static_cast<int>(std::nearbyint(std::clamp(value, -1e6F, 1e6F)));
  }
  /// QuantizeLinear, without its clamp.
  int quantised(float value) const { return whole(value / scale) + zero; }
};

/// Returns the output's int8 range under a fused activation.
Range onnx_clamp(const OperatorView& view, Activation activation);

/// ADD, SUB and MUL of two tensors.
Result<IntegerOp> onnx_add_form(const OperatorView& view, bool subtract);
Result<IntegerOp> onnx_mul_form(const OperatorView& view);
/// AVERAGE_POOL_2D of WindowMeanAttributes.
Result<IntegerOp> onnx_pool_form(const OperatorView& view);
/// BATCH_MATMUL whose result is its sums, int32.
Result<IntegerOp> prepare_matmul_sums(const OperatorView& view);

}  // namespace tinytune
