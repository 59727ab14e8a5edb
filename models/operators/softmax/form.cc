// SOFTMAX, int8 to int8 or int16 and int16 to int16.
#include "models/operators/softmax/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/operators/operator_view.h"
#include "models/quantise.h"

namespace tinytune {
namespace {

Result<IntegerOp> prepare_wide_softmax(const OperatorView& view) {
  constexpr float kScale = 1.0F / 32768;
  constexpr double kUnit = 10.0 / 65535;  // of the table's argument
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_int16(input));
  TT_TRY(view.require_int16(output));
  if (input.shape.empty()) return view.invalid(describe(input) + " is a scalar");
  TT_TRY(view.require_shape(output, input.shape));
  if (std::abs(output.quantization.scales[0] - kScale) > 0.001F * kScale)
    return view.unsupported(describe(output) + " is not quantised as 1/32768");
  WideSoftmaxOp op;
  op.depth = input.shape.back();
  op.rows = static_cast<int>(input.elements() / op.depth);
  if (op.depth > 65535) return view.unsupported("more than 65535 classes");
  const double beta = std::get<SoftmaxAttributes>(view.op().attributes).beta;
  const double real = double{input.quantization.scales[0]} * beta / kUnit;
  // A difference has 16 bits, and is shifted left as an int32.
  if (!(real >= 0) || real >= 1 << 15)
    return view.unsupported(
        fmt::format("beta {} with scale {}", beta, input.quantization.scales[0]));
  const QuantizedMultiplier m = quantize_multiplier(real);
  op.multiplier = m.multiplier;
  op.shift = m.shift;
  return IntegerOp(op);
}

// Checks TFLite's scale of probabilities: int8 starts at -128, int16 at -32768; both end before 1.
Status check_narrow_output(const OperatorView& view, const Tensor& output) {
  TT_TRY(view.require_quantised(output));
  const float scale = output.quantization.scales[0];
  const int zero_point = output.quantization.zero_points[0];
  constexpr float kWideScale = 1.0F / 65536;
  if (output.type == ElementType::kInt16) {
    if (zero_point != -32768 || std::abs(scale - kWideScale) > 0.001F * kWideScale)
      return view.unsupported(describe(output) + " is not quantised as 1/65536, -32768");
    return ok_status();
  }
  TT_TRY(view.require_int8(output));
  if (zero_point != -128 || scale != 1.0F / 256)
    return view.unsupported(describe(output) + " is not quantised as 1/256, -128");
  return ok_status();
}

}  // namespace

Result<IntegerOp> prepare_softmax(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  if (input.type == ElementType::kInt16) return prepare_wide_softmax(view);
  TT_TRY(view.require_int8(input));
  TT_TRY(check_narrow_output(view, output));
  if (input.shape.empty()) return view.invalid(describe(input) + " is a scalar");
  TT_TRY(view.require_shape(output, input.shape));
  SoftmaxOp op;
  op.wide_output = output.type == ElementType::kInt16;
  op.depth = input.shape.back();
  op.rows = static_cast<int>(input.elements() / op.depth);
  // The sum of exponentials has 12 integer bits.
  if (op.depth >= 4096) return view.unsupported("more than 4095 classes");

  // Differences are rescaled to Q5.26; the cap is TFLite's and means "everything but the maximum
  // rounds to nothing".
  const double beta = std::get<SoftmaxAttributes>(view.op().attributes).beta;
  const double scale = input.quantization.scales[0];
  const double real = std::min(beta * scale * (1 << 26), 2147483647.0);
  if (!(real > 1)) return view.unsupported(fmt::format("beta {} with scale {}", beta, scale));
  const QuantizedMultiplier m = quantize_multiplier(real);
  op.input_multiplier = m.multiplier;
  op.input_left_shift = m.shift;
  op.diff_min = -static_cast<int>(std::floor(31.0 * (1 << 26) / std::ldexp(1.0, m.shift)));
  return IntegerOp(op);
}

}  // namespace tinytune
