// Functions of one int8 value: each becomes a table of 256 bytes, filled by TFLite's steps.
// LOGISTIC and TANH of int16 are computed on the device; int16's other functions are RescaleOp.
#include "models/operators/lookups/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

#include "models/operators/byte_table.h"
#include "models/operators/operator_view.h"
#include "models/operators/quantize/form_rescale.h"
#include "models/quantise.h"
#include "models/reference/fixed_point.h"
#include "schedules/requantise.h"

namespace tinytune {
namespace {

Status require_int8_map(const OperatorView& view) {
  TT_TRY(view.require_int8(view.input(0)));
  TT_TRY(view.require_int8(view.output()));
  return require_map(view);
}

// LOGISTIC and TANH rescale to Q4.27; beyond the radius the result saturates.
struct Rescale {
  QuantizedMultiplier multiplier;
  int radius = 0;
};

Result<Rescale> rescale_to_q4(const OperatorView& view, float scale) {
  Rescale r;
  r.multiplier = quantize_multiplier(double{scale} * (1 << 27));
  if (r.multiplier.shift < 0 || r.multiplier.shift > 62)
    return view.unsupported(fmt::format("a scale of {}", scale));
  r.radius = static_cast<int>(std::floor(15.0 * (1 << 27) / std::ldexp(1.0, r.multiplier.shift)));
  return r;
}

// Fills the table in float32 throughout, as TFLite does; clamps values that int32 cannot hold.
Result<IntegerOp> float_table(const OperatorView& view, float (*f)(float)) {
  TT_TRY(require_int8_map(view));
  const Scales s = scales_of(view);
  const float inverse = 1 / s.out;
  return tabulate(view, [&](int x) {
    const float real = s.in * static_cast<float>(x - s.in_zero);
    const float steps = std::round(f(real) * inverse) + static_cast<float>(s.out_zero);
    return static_cast<int64_t>(std::clamp(steps, -1e3F, 1e3F));
  });
}

// Returns the exponent of a scale that is a power of two within TFLite's tolerance.
std::optional<int> power_of_two(float scale) {
  const float power = std::log(scale) * (1.0F / std::log(2.0F));
  const float rounded = std::round(power);
  if (!(std::abs(power - rounded) < 1e-3F)) return std::nullopt;
  return static_cast<int>(rounded);
}

// LOGISTIC and TANH of int16: the table takes a scale of 2^-12, and for TANH of 2^-11, exactly.
Result<IntegerOp> prepare_wide_gate(const OperatorView& view, bool is_tanh) {
  constexpr int kFractionBits = 12;
  TT_TRY(view.require_int16(view.input(0)));
  TT_TRY(view.require_int16(view.output()));
  TT_TRY(require_map(view));
  const Scales s = scales_of(view);
  if (power_of_two(s.out) != -15)
    return view.unsupported(describe(view.output()) + " is not quantised as 1/32768");
  WideGateOp op;
  op.elements = view.output().elements();
  op.is_tanh = is_tanh;
  const std::optional<int> power = power_of_two(s.in);
  const int left = power ? kFractionBits + *power : -1;
  if (left == 0 || (is_tanh && left == 1)) {
    op.factor = 3 << left;
    return IntegerOp(op);
  }
  double factor = double{s.in} * 4096.0 * 3.0;
  for (; factor <= 32767.0 / 2.0 && op.shift <= 30; ++op.shift) factor *= 2;
  if (!(factor <= 32767)) return view.unsupported(fmt::format("a scale of {}", s.in));
  // If the last shift leaves a factor of 0, TFLite takes the scale for a power of two.
  if (factor < 1) return view.unsupported(fmt::format("a scale of {}", s.in));
  op.factor = static_cast<int32_t>(factor);
  return IntegerOp(op);
}

}  // namespace

Result<IntegerOp> prepare_relu(const OperatorView& view) {
  if (view.input(0).type == ElementType::kInt16) return prepare_wide_relu(view);
  TT_TRY(require_int8_map(view));
  const Scales s = scales_of(view);
  const auto real = double{s.in / s.out};  // the quotient in float32
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  return tabulate(
      view, [&](int x) { return int64_t{s.out_zero} + std::max(0, rescaled(x - s.in_zero, m)); });
}

// TFLite clamps the stored value and ignores the output's scale.
Result<IntegerOp> prepare_relu6(const OperatorView& view) {
  if (view.input(0).type == ElementType::kInt16) return prepare_wide_relu6(view);
  TT_TRY(require_int8_map(view));
  const Scales s = scales_of(view);
  const Range range = activation_range(Activation::kRelu6, s.in, s.in_zero, {-128, 127});
  return tabulate(view, [&](int x) { return std::clamp(x, range.low, range.high); });
}

Result<IntegerOp> prepare_leaky_relu(const OperatorView& view) {
  if (view.input(0).type == ElementType::kInt16) return prepare_wide_leaky_relu(view);
  TT_TRY(require_int8_map(view));
  const Scales s = scales_of(view);
  const float alpha = std::get<LeakyReluAttributes>(view.op().attributes).alpha;
  // The products and quotients are float32 here.
  const float below = s.in * alpha / s.out, above = s.in / s.out;
  if (!(std::abs(below) < kLargestMultiplier) || !(above < kLargestMultiplier))
    return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier negative = quantize_multiplier(double{below});
  const QuantizedMultiplier positive = quantize_multiplier(double{above});
  return tabulate(view, [&](int x) {
    const int value = x - s.in_zero;
    return int64_t{s.out_zero} + rescaled(value, value >= 0 ? positive : negative);
  });
}

Result<IntegerOp> prepare_logistic(const OperatorView& view) {
  if (view.input(0).type == ElementType::kInt16) return prepare_wide_gate(view, false);
  TT_TRY(require_int8_map(view));
  const Scales s = scales_of(view);
  if (s.out_zero != -128) return view.unsupported(describe(view.output()) + " has no zero at -128");
  TT_TRY_ASSIGN(const Rescale r, rescale_to_q4(view, s.in));
  return tabulate(view, [&](int x) {
    const int value = x - s.in_zero;
    if (value <= -r.radius) return -128;
    if (value >= r.radius) return 127;
    return fixed_point::rounding_shift_right(fixed_point::logistic(rescaled(value, r.multiplier)),
                                             31 - 8) -
           128;
  });
}

Result<IntegerOp> prepare_tanh(const OperatorView& view) {
  if (view.input(0).type == ElementType::kInt16) return prepare_wide_gate(view, true);
  TT_TRY(require_int8_map(view));
  const Scales s = scales_of(view);
  TT_TRY_ASSIGN(const Rescale r, rescale_to_q4(view, s.in));
  return tabulate(view, [&](int x) {
    const int value = x - s.in_zero;
    if (value <= -r.radius) return -128;
    if (value >= r.radius) return 127;
    return static_cast<int>(fixed_point::rounding_shift_right(
        fixed_point::tanh(rescaled(value, r.multiplier)), 31 - 7));
  });
}

Result<IntegerOp> prepare_hard_swish(const OperatorView& view) {
  TT_TRY(require_int8_map(view));
  const Scales s = scales_of(view);
  const float fine = (1.0F / 128.0F) * s.in;
  const QuantizedMultiplier output = quantize_multiplier(double{fine / s.out});
  const QuantizedMultiplier gate = quantize_multiplier(double{fine / (3.0F / 32768.0F)});
  if (output.shift > 0 || output.shift < -15 || gate.shift < -15 || gate.shift > 31)
    return view.unsupported("the ratios of its scales, which TFLite refuses");
  return tabulate(view, [&](int x) {
    return s.out_zero + fixed_point::hard_swish_16(
                            x - s.in_zero, fixed_point::high_half(output.multiplier), output.shift,
                            fixed_point::high_half(gate.multiplier), gate.shift);
  });
}

Result<IntegerOp> prepare_elu(const OperatorView& view) {
  return float_table(view, [](float x) { return x < 0 ? std::exp(x) - 1.0F : x; });
}

// Uses erfc, which keeps small values precise for large negative inputs; TFLite Micro has no GELU.
Result<IntegerOp> prepare_gelu(const OperatorView& view) {
  constexpr auto kRootOfHalf = static_cast<float>(-1 / std::numbers::sqrt2);
  constexpr auto kRootOfTwoByPi =
      static_cast<float>(2 * std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  if (std::get<GeluAttributes>(view.op().attributes).approximate)
    return float_table(view, [](float x) {
      return 0.5F * x * (1.0F + std::tanh(kRootOfTwoByPi * (x + 0.044715F * x * x * x)));
    });
  return float_table(view, [](float x) { return 0.5F * x * std::erfc(x * kRootOfHalf); });
}

Result<IntegerOp> prepare_abs(const OperatorView& view) {
  TT_TRY(require_int8_map(view));
  const Scales s = scales_of(view);
  const double real = double{s.in} / double{s.out};
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  const bool rescales = s.in != s.out;
  return tabulate(view, [&](int x) {
    const int value = std::abs(x - s.in_zero);
    return int64_t{s.out_zero} + (rescales ? rescaled(value, m) : value);
  });
}

// 1 / sqrt(x): the integer's inverse root with 20 fraction bits, then rescaled. TFLite Micro fails
// the inference for inputs below the zero point; here they give the largest value, as zero does.
Result<IntegerOp> prepare_rsqrt(const OperatorView& view) {
  constexpr int kFraction = 20;
  TT_TRY(require_int8_map(view));
  const Scales s = scales_of(view);
  const double real = 1 / (std::sqrt(double{s.in}) * double{s.out});
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  if (m.shift - kFraction < -31) return view.unsupported("the ratio of its scales is too small");
  return tabulate(view, [&](int x) -> int64_t {
    const int value = x - s.in_zero;
    if (value <= 0) return 127;
    const auto root = fixed_point::inverse_square_root(value);
    const int32_t fine =
        multiply_by_quantized_multiplier(1, root.multiplier, root.shift + kFraction);
    return int64_t{s.out_zero} +
           multiply_by_quantized_multiplier(fine, m.multiplier, m.shift - kFraction);
  });
}

Result<IntegerOp> prepare_logical_not(const OperatorView& view) {
  for (const Tensor* t : {&view.input(0), &view.output()})
    if (t->type != ElementType::kBool)
      return view.unsupported(fmt::format("{} is {}, not bool", describe(*t), name_of(t->type)));
  TT_TRY(require_map(view));
  LookupOp op;
  op.elements = view.output().elements();
  op.table[0] = 1;
  return IntegerOp(op);
}

}  // namespace tinytune
