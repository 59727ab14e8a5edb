// SQUARED_DIFFERENCE, PRELU, DIV, ADD_N, CUMSUM.
#include "models/operators/arithmetic/form.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/operators/move_builder.h"
#include "models/operators/operands.h"

namespace tinytune {

Result<IntegerOp> prepare_squared_difference(const OperatorView& view) {
  SquaredDifferenceOp op;
  TT_TRY(read_operands(view, op));
  op.output_offset = view.output().quantization.zero_points[0];
  constexpr int kLeftShift = 7;  // (255 * 2^7)^2 is an int32
  const float scale1 = view.input(0).quantization.scales[0],
              scale2 = view.input(1).quantization.scales[0];
  const double twice_max = 2 * double{std::max(scale1, scale2)};
  const double reals[] = {scale1 / twice_max, scale2 / twice_max};
  for (size_t i = 0; i < 2; ++i) {
    if (!(reals[i] > 0)) return view.unsupported("the ratio of its scales, which TFLite refuses");
    op.terms[i] = scaled_terms(view.input(i).quantization.zero_points[0], kLeftShift,
                               quantize_multiplier(reals[i]));
  }
  // The divisor is a float32 product.
  const double real =
      twice_max * twice_max / double{(1 << 2 * kLeftShift) * view.output().quantization.scales[0]};
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  op.multiplier = m.multiplier;
  op.shift = m.shift;
  return IntegerOp(std::move(op));
}

Result<IntegerOp> prepare_prelu(const OperatorView& view) {
  PreluOp op;
  TT_TRY(read_operands(view, op));
  TT_TRY(view.require_shape(view.output(), view.input(0).shape));
  const Quantization &in = view.input(0).quantization, &alpha = view.input(1).quantization,
                     &out = view.output().quantization;
  op.input_offset = -in.zero_points[0];
  op.alpha_offset = -alpha.zero_points[0];
  op.output_offset = out.zero_points[0];
  const double above = double{in.scales[0]} / double{out.scales[0]};
  const double below = double{in.scales[0]} * double{alpha.scales[0]} / double{out.scales[0]};
  if (!(above < kLargestMultiplier) || !(below < kLargestMultiplier))
    return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier positive = quantize_multiplier(above);
  const QuantizedMultiplier negative = quantize_multiplier(below);
  op.positive_multiplier = positive.multiplier;
  op.positive_shift = positive.shift;
  op.negative_multiplier = negative.multiplier;
  op.negative_shift = negative.shift;
  return IntegerOp(std::move(op));
}

Result<IntegerOp> prepare_div(const OperatorView& view) {
  DivOp op;
  TT_TRY(read_arithmetic(view, op));
  const Quantization &q1 = view.input(0).quantization, &q2 = view.input(1).quantization,
                     &q = view.output().quantization;
  const auto real = double{q1.scales[0] / (q2.scales[0] * q.scales[0])};  // in float32
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  if (m.shift > kMostDivShift) return view.unsupported("the ratio of its scales is more than 2^22");
  op.multiplier = m.multiplier;
  op.shift = m.shift;
  return IntegerOp(std::move(op));
}

namespace {

// The sums of ADD_N and CUMSUM: terms are inputs shifted left by 20 and halved; the multiplier
// converts their sum from the first input's scale to the output's.
struct Accumulation {
  std::vector<int32_t> terms;
  int32_t base = 0;
  QuantizedMultiplier multiplier;
};

constexpr int kMostTerms = 15;  // each is below 2^27, and the base is one more term

Result<Accumulation> accumulation_of(const OperatorView& view) {
  constexpr int kLeftShift = 20;
  const Quantization &in = view.input(0).quantization, &out = view.output().quantization;
  const double twice = 2 * double{in.scales[0]};
  const double real = twice / ((1 << kLeftShift) * double{out.scales[0]});
  Accumulation sum;
  sum.multiplier = quantize_multiplier(real);
  if (!(real < 1) || !(real > 0) || sum.multiplier.shift > 0)
    return view.unsupported("the ratio of its scales, which TFLite refuses");
  sum.terms = scaled_terms(in.zero_points[0], kLeftShift, quantize_multiplier(0.5));
  // As in TFLite, the sum starts from the scaled term of a stored 0.
  sum.base = sum.terms[128];
  return sum;
}

}  // namespace

Result<IntegerOp> prepare_add_n(const OperatorView& view) {
  const Tensor &first = view.input(0), &output = view.output();
  AddNOp op;
  TT_TRY(view.require_int8(output));
  for (size_t i = 0; i < view.inputs(); ++i) {
    const Tensor& t = view.input(i);
    TT_TRY(view.require_int8(t));
    TT_TRY(view.require_shape(t, output.shape));
    if (t.quantization.scales != first.quantization.scales ||
        t.quantization.zero_points != first.quantization.zero_points)
      return view.unsupported(
          fmt::format("{} and {} are quantised differently, which TFLite "
                      "refuses",
                      describe(first), describe(t)));
    op.constants.emplace_back(t.data.begin(), t.data.end());
  }
  if (view.inputs() > kMostTerms)
    return view.unsupported(fmt::format("more than {} terms", kMostTerms));
  op.elements = output.elements();
  op.output_offset = output.quantization.zero_points[0];
  TT_TRY_ASSIGN(Accumulation sum, accumulation_of(view));
  op.multiplier = sum.multiplier.multiplier;
  op.shift = sum.multiplier.shift;
  op.terms = std::move(sum.terms);
  op.base = sum.base;
  return IntegerOp(std::move(op));
}

// If all values are extreme, TFLite's sum overflows int32 along axes longer than kMostTerms. Here
// and in generated code it wraps, as TFLite's does on every two's complement machine.
Result<IntegerOp> prepare_cumsum(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_int8(input));
  TT_TRY(view.require_int8(output));
  TT_TRY(view.require_shape(output, input.shape));
  TT_TRY_ASSIGN(const auto given, int32_constant(view, view.input(1)));
  if (given.size() != 1) return view.invalid("its axis is not one number");
  TT_TRY_ASSIGN(const size_t axis, resolve_axis(view, given[0], input.shape.size()));
  CumsumOp op;
  const auto& a = std::get<CumsumAttributes>(view.op().attributes);
  op.exclusive = a.exclusive;
  op.reverse = a.reverse;
  op.axis = input.shape[axis];
  for (size_t i = 0; i < input.shape.size(); ++i)
    if (i != axis) (i < axis ? op.outer : op.inner) *= input.shape[i];
  TT_TRY_ASSIGN(Accumulation sum, accumulation_of(view));
  op.terms = std::move(sum.terms);
  op.base = sum.base;
  op.multiplier = sum.multiplier.multiplier;
  op.shift = sum.multiplier.shift;
  op.output_offset = output.quantization.zero_points[0];
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
