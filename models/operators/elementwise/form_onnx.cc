// ONNX's ADD, SUB and MUL (ADR 76). Each is a float32 function of a pair of bytes; preparation
// finds an integer form of it; that of ADD and SUB is checked for all 65,536 pairs.
//
// ADD and SUB round the sum of two numbers, one per byte, so the result is non-decreasing in the
// exact sum: its thresholds depend on the sum alone. MUL in onnxruntime's kernel is a
// non-decreasing function of the bytes' integer product, so it has thresholds of its own.
#include <functional>

#include "models/byte_steps.h"
#include "models/operators/onnx_scale.h"
#include "models/operators/operands.h"

namespace tinytune {
namespace {

// A sum in float32: `wanted` is the result before it is clamped, near the exact sum of the terms
// `first` and `second`. All take int8 values.
struct FloatSum {
  std::function<double(int)> first, second;
  std::function<int(int, int)> wanted;
};

// Returns QuantizeLinear of the sum of two DequantizeLinear.
FloatSum standard_sum(const OperatorView& view, bool subtract) {
  const FloatScale first(view.input(0)), second(view.input(1)), out(view.output());
  const float sign = subtract ? -1 : 1;
  return {[=](int a) { return double{first.real(a)} / out.scale + out.zero; },
          [=](int b) { return double{sign * second.real(b)} / out.scale; },
          [=](int a, int b) { return out.quantised(first.real(a) + sign * second.real(b)); }};
}

// Returns MlasQLinearAdd's sum with fused multiply-add: divides scales first and adds up the zero
// points' products to one constant.
FloatSum qlinear_sum(const OperatorView& view, const QLinearAttributes& how) {
  const FloatScale first(view.input(0)), second(view.input(1)), out(view.output());
  const int offset = how.offset;
  const auto raw = [=](int x) { return static_cast<float>(x + offset); };
  const float a_ratio = first.scale / out.scale, b_ratio = second.scale / out.scale;
  const float zeros = std::fma(a_ratio, raw(first.zero), b_ratio * raw(second.zero));
  const float fixed = raw(out.zero) - zeros;
  // One operand's product is rounded with the fixed part before the other's is added.
  const bool first_is_fixed = how.repeated[0];
  const bool alone = how.repeated[0] || how.repeated[1];
  const float ratio = first_is_fixed ? a_ratio : b_ratio,
              other = first_is_fixed ? b_ratio : a_ratio;
  const auto start = [=](int x) {
    return alone ? fixed + ratio * raw(x) : std::fma(ratio, raw(x), fixed);
  };
  const auto step = [=](int x) { return double{other} * raw(x); };
  const auto rest = [=](int x) { return double{start(x)} - offset; };
  const auto sum = [=](int started, int stepped) {
    return FloatScale::whole(std::fma(other, raw(stepped), start(started))) - offset;
  };
  if (first_is_fixed) return {rest, step, sum};
  return {step, rest, [=](int a, int b) { return sum(b, a); }};
}

// Finds steps with which every pair of operands gives the float sum's byte, at this precision;
// returns false if no step separates the sums that round up from those that do not.
bool find_steps(SteppedAddOp& op, const std::vector<int>& wanted) {
  const int64_t one = int64_t{1} << op.shift;
  std::vector<int64_t> up(256, one), down(256, -1);
  for (size_t a = 0; a < 256; ++a)
    for (size_t b = 0; b < 256; ++b) {
      const int64_t y = op.terms[0][a] + op.terms[1][b];
      const int64_t k = y >> op.shift, fraction = y & (one - 1);
      const int64_t more = wanted[256 * a + b] - k;
      if (k < op.activation_min - 1 || k > op.activation_max) continue;  // clamped in any case
      if (more < 0 || more > 1) return false;
      auto& limit = (more == 1 ? up : down)[static_cast<uint8_t>(k)];
      limit = more == 1 ? std::min(limit, fraction) : std::max(limit, fraction);
    }
  for (size_t k = 0; k < up.size(); ++k)
    if (down[k] >= up[k]) return false;
  op.steps = up;
  return true;
}

std::vector<int64_t> terms_of(const std::function<double(int)>& term, int shift) {
  std::vector<int64_t> terms;
  for (int x = -128; x < 128; ++x)
    terms.push_back(static_cast<int64_t>(std::floor(std::ldexp(term(x), shift))));
  return terms;
}

double reach_of(const FloatSum& sum) {
  double reach = 256;
  for (const int x : {-128, 127}) reach += std::abs(sum.first(x)) + std::abs(sum.second(x));
  return reach;
}

}  // namespace

Result<IntegerOp> onnx_add_form(const OperatorView& view, bool subtract) {
  SteppedAddOp op;
  TT_TRY(read_operands(view, op));
  const auto* qlinear = std::get_if<QLinearAttributes>(&view.op().attributes);
  const Activation activation =
      qlinear != nullptr ? qlinear->activation
                         : std::get<ActivationAttributes>(view.op().attributes).activation;
  const Range range = onnx_clamp(view, activation);
  op.activation_min = range.low;
  op.activation_max = range.high;
  const FloatSum sum =
      qlinear != nullptr ? qlinear_sum(view, *qlinear) : standard_sum(view, subtract);
  const double reach = reach_of(sum);
  if (!(reach < 1e6)) return view.unsupported("the ratios of its scales");
  std::vector<int> wanted;
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b) wanted.push_back(sum.wanted(a, b));
  // 32 bits if they separate all sums; exact ties of simple ratios need 64.
  const int bits = static_cast<int>(std::ceil(std::log2(reach)));
  const int finest = std::min(22, 30 - bits);
  for (const int shift : {finest, finest - 1, finest - 2, finest - 3, 44, 40, 48, 36}) {
    op.wide = shift > finest;
    op.shift = std::max(1, op.wide ? std::min(shift, 61 - bits) : shift);
    op.terms = {terms_of(sum.first, op.shift), terms_of(sum.second, op.shift)};
    if (find_steps(op, wanted)) return IntegerOp(std::move(op));
  }
  return view.unsupported("no integer form gives its float32 sums");
}

Result<IntegerOp> onnx_mul_form(const OperatorView& view) {
  MulOp op;
  TT_TRY(read_operands(view, op));
  const auto& how = std::get<QLinearAttributes>(view.op().attributes);
  const FloatScale first(view.input(0)), second(view.input(1)), out(view.output());
  op.input1_offset = -first.zero;
  op.input2_offset = -second.zero;
  const Range range = onnx_clamp(view, how.activation);
  op.activation_min = range.low;
  op.activation_max = range.high;
  const float ratio = first.scale * second.scale / out.scale;
  const auto zero = static_cast<float>(out.zero + how.offset);
  constexpr int32_t kReach = 255 * 255;
  op.steps = find_byte_steps(-kReach, kReach, [&](int32_t product) {
    const float scaled = static_cast<float>(product) * ratio;
    return FloatScale::whole(scaled + zero) - how.offset;
  });
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
