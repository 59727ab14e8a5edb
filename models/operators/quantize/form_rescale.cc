#include "models/operators/quantize/form_rescale.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "models/quantise.h"

namespace tinytune {
namespace {

using Scale = RescaleOp::Scale;

Result<Scale> scale_of(const OperatorView& view, double real) {
  if (!(std::abs(real) < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  return Scale{m.multiplier, m.shift};
}

// Reads types, zero points and the output's range, but no scale.
Result<RescaleOp> read_map(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_quantised(input));
  TT_TRY(view.require_quantised(output));
  TT_TRY(view.require_shape(output, input.shape));
  RescaleOp op;
  op.elements = output.elements();
  op.from = input.type;
  op.to = output.type;
  op.input_zero_point = input.quantization.zero_points[0];
  op.output_zero_point = output.quantization.zero_points[0];
  if (output.type == ElementType::kInt32) {
    op.low = std::numeric_limits<int32_t>::min();
    op.high = std::numeric_limits<int32_t>::max();
  } else {
    const Range range = limits_of(output.type);
    op.low = range.low;
    op.high = range.high;
  }
  return op;
}

float input_scale(const OperatorView& view) { return view.input(0).quantization.scales[0]; }
float output_scale(const OperatorView& view) { return view.output().quantization.scales[0]; }

}  // namespace

Result<IntegerOp> prepare_rescale(const OperatorView& view) {
  const ElementType from = view.input(0).type, to = view.output().type;
  const bool from_long = from == ElementType::kInt32, to_long = to == ElementType::kInt32;
  const auto fits = [](ElementType type) {
    return type == ElementType::kInt8 || type == ElementType::kInt16 || type == ElementType::kInt32;
  };
  if (!fits(from) || !fits(to) || (from_long && to_long))
    return view.unsupported(fmt::format("from {} to {}", name_of(from), name_of(to)));
  TT_TRY_ASSIGN(RescaleOp op, read_map(view));
  TT_TRY_ASSIGN(op.positive,
                scale_of(view, double{input_scale(view)} / double{output_scale(view)}));
  op.negative = op.positive;
  return IntegerOp(op);
}

// The quotient is float32, as in the int8 kernel. The bound of the activation is the zero point.
Result<IntegerOp> prepare_wide_relu(const OperatorView& view) {
  for (const Tensor* t : {&view.input(0), &view.output()}) TT_TRY(view.require_int16(*t));
  TT_TRY_ASSIGN(RescaleOp op, read_map(view));
  TT_TRY_ASSIGN(op.positive, scale_of(view, double{input_scale(view) / output_scale(view)}));
  op.low = 0;
  return IntegerOp(op);
}

// TFLite clamps the stored value and ignores the output's scale.
Result<IntegerOp> prepare_wide_relu6(const OperatorView& view) {
  constexpr Scale kUnit{1 << 30, 1};
  if (view.output().type != ElementType::kInt16)
    return view.invalid(
        fmt::format("{} and {} differ in type", describe(view.input(0)), describe(view.output())));
  TT_TRY_ASSIGN(RescaleOp op, read_map(view));
  const Range range =
      activation_range(Activation::kRelu6, input_scale(view), op.input_zero_point, {-32768, 32767});
  op.low = range.low;
  op.high = range.high;
  op.output_zero_point = op.input_zero_point;
  op.positive = op.negative = kUnit;
  return IntegerOp(op);
}

// Products and quotients are float32.
Result<IntegerOp> prepare_wide_leaky_relu(const OperatorView& view) {
  if (view.output().type != ElementType::kInt16)
    return view.invalid(
        fmt::format("{} and {} differ in type", describe(view.input(0)), describe(view.output())));
  const float alpha = std::get<LeakyReluAttributes>(view.op().attributes).alpha;
  TT_TRY_ASSIGN(RescaleOp op, read_map(view));
  TT_TRY_ASSIGN(op.positive, scale_of(view, double{input_scale(view) / output_scale(view)}));
  TT_TRY_ASSIGN(op.negative,
                scale_of(view, double{input_scale(view) * alpha / output_scale(view)}));
  return IntegerOp(op);
}

}  // namespace tinytune
