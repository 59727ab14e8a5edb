// ADD, SUB, MUL, MAXIMUM and MINIMUM, of int8, of int16 and of int32 without scales.
#include "models/operators/elementwise/form.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/operators/operands.h"
#include "models/quantise.h"

namespace tinytune {
namespace {

using Raw = RawArithmeticOp::Function;

bool is_wide(const OperatorView& view) { return view.output().type == ElementType::kInt16; }
bool is_raw(const OperatorView& view) { return view.output().type == ElementType::kInt32; }

// Returns the form for operands and a result of one type without scales.
Result<IntegerOp> raw_arithmetic(const OperatorView& view, Raw function,
                                 Activation activation = Activation::kNone) {
  RawArithmeticOp op;
  op.function = function;
  op.type = view.output().type;
  for (size_t i = 0; i < 2; ++i) {
    const Tensor& t = view.input(i);
    if (t.type != op.type)
      return view.invalid(
          fmt::format("{} and {} differ in type", describe(t), describe(view.output())));
    op.constants[i] = t.data;
  }
  TT_TRY_ASSIGN(op.broadcast, broadcast_shapes(view));
  const Range range = activation_range(activation, 1, 0, {op.activation_min, op.activation_max});
  op.activation_min = range.low;
  op.activation_max = range.high;
  return IntegerOp(std::move(op));
}

// Reads the operands and the range of an int16 form.
template <typename Op>
Status read_wide(const OperatorView& view, Op& op) {
  for (const Tensor* t : {&view.input(0), &view.input(1), &view.output()})
    TT_TRY(view.require_int16(*t));
  TT_TRY_ASSIGN(op.broadcast, broadcast_shapes(view));
  op.constants = {view.input(0).data, view.input(1).data};
  TT_TRY_ASSIGN(const Range range, fused_range(view));
  op.activation_min = range.low;
  op.activation_max = range.high;
  return ok_status();
}

// Reads the scales of ADD and SUB, in either width.
template <typename Op>
Status read_sum_scales(const OperatorView& view, int left_shift, Op& op) {
  const Quantization &q1 = view.input(0).quantization, &q2 = view.input(1).quantization,
                     &q = view.output().quantization;
  // ADD computes the ratios in double, SUB in float.
  double real1, real2, real_output;
  const float largest = std::max(q1.scales[0], q2.scales[0]);
  if (op.subtract) {
    const float twice_max = 2 * largest;
    real1 = double{q1.scales[0] / twice_max};
    real2 = double{q2.scales[0] / twice_max};
    real_output = double{twice_max / (static_cast<float>(1 << left_shift) * q.scales[0])};
  } else {
    const double twice_max = 2 * double{largest};
    real1 = q1.scales[0] / twice_max;
    real2 = q2.scales[0] / twice_max;
    real_output = twice_max / ((1 << left_shift) * double{q.scales[0]});
  }
  if (!(real_output < 1) || !(real_output > 0) || !(real1 > 0) || !(real2 > 0))
    return view.unsupported("the ratios of its scales, which TFLite refuses");
  const auto m1 = quantize_multiplier(real1);
  const auto m2 = quantize_multiplier(real2);
  const auto m = quantize_multiplier(real_output);
  if (m.shift > 0) return view.unsupported("the ratios of its scales, which TFLite refuses");
  op.input1_multiplier = m1.multiplier;
  op.input1_shift = m1.shift;
  op.input2_multiplier = m2.multiplier;
  op.input2_shift = m2.shift;
  op.output_multiplier = m.multiplier;
  op.output_shift = m.shift;
  return ok_status();
}

// Reads all of a form but its scales: read_arithmetic() for int8, read_wide() for int16.
template <typename Op>
using ReadOperands = Status (*)(const OperatorView& view, Op& op);

template <typename Op>
Result<IntegerOp> sum(const OperatorView& view, bool subtract, int left_shift,
                      ReadOperands<Op> read) {
  Op op;
  TT_TRY(read(view, op));
  op.subtract = subtract;
  TT_TRY(read_sum_scales(view, left_shift, op));
  return IntegerOp(std::move(op));
}

Result<IntegerOp> prepare_addition(const OperatorView& view, bool subtract) {
  // TFLite's int32 ADD ignores the fused activation, and its SUB does not.
  if (is_raw(view))
    return subtract ? raw_arithmetic(view, Raw::kSubtract, fused_activation(view))
                    : raw_arithmetic(view, Raw::kAdd);
  return is_wide(view) ? sum<WideAddOp>(view, subtract, WideAddOp::kLeftShift, read_wide)
                       : sum<AddOp>(view, subtract, AddOp().left_shift, read_arithmetic);
}

template <typename Op>
Result<IntegerOp> product(const OperatorView& view, ReadOperands<Op> read) {
  Op op;
  TT_TRY(read(view, op));
  const double real = double{view.input(0).quantization.scales[0]} *
                      double{view.input(1).quantization.scales[0]} /
                      double{view.output().quantization.scales[0]};
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  op.multiplier = m.multiplier;
  op.shift = m.shift;
  return IntegerOp(std::move(op));
}

Result<IntegerOp> prepare_extremum(const OperatorView& view, bool maximum) {
  if (is_raw(view) || is_wide(view))
    return raw_arithmetic(view, maximum ? Raw::kMaximum : Raw::kMinimum);
  ExtremumOp op;
  TT_TRY(read_operands(view, op));
  op.maximum = maximum;
  return IntegerOp(std::move(op));
}

}  // namespace

Result<IntegerOp> prepare_add(const OperatorView& view) { return prepare_addition(view, false); }
Result<IntegerOp> prepare_sub(const OperatorView& view) { return prepare_addition(view, true); }
Result<IntegerOp> prepare_maximum(const OperatorView& view) { return prepare_extremum(view, true); }
Result<IntegerOp> prepare_minimum(const OperatorView& view) {
  return prepare_extremum(view, false);
}

Result<IntegerOp> prepare_mul(const OperatorView& view) {
  if (is_raw(view)) return raw_arithmetic(view, Raw::kMultiply, fused_activation(view));
  return is_wide(view) ? product<WideMulOp>(view, read_wide)
                       : product<MulOp>(view, read_arithmetic);
}

}  // namespace tinytune
