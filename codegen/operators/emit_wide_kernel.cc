// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of int16 activations: the loops of their
// definition; those that run once are left to the compiler. Where weights prove that no sum of
// products leaves 32 bits, it has no more.
#include <algorithm>
#include <cstdlib>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/reference/fixed_point.h"

namespace tinytune {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

bool is_depthwise(const WideKernelOp& op) { return op.shape.op == OpKind::kDepthwiseConv2d; }

// The largest sum of products that any output channel can have, in size.
int64_t largest_sum(const WideKernelOp& op) {
  std::vector<int64_t> sums(static_cast<size_t>(op.shape.out_c), 0);
  const auto row = static_cast<size_t>(op.shape.reduction());
  for (size_t i = 0; i < op.weights.size(); ++i)
    sums[is_depthwise(op) ? i % sums.size() : i / row] += int64_t{std::abs(op.weights[i])} * 32768;
  return *std::max_element(sums.begin(), sums.end());
}

// Sums of 32 bits wrap in the reference; with a proof nothing does.
const char* sum_type(const WideKernelOp& op) {
  if (!op.long_sums) return "uint32_t";
  return largest_sum(op) <= INT32_MAX ? "int32_t" : "int64_t";
}

// Loops over the taps of one axis that lie inside the input: `i` is the input's index, `k` the
// tap's.
struct Axis {
  const char* name;
  int in, out, kernel, stride, dilation, pad;
};

void open_taps(CWriter& w, const Axis& a) {
  const std::string i = std::string("i") + a.name, k = std::string("k") + a.name;
  w.loop(k, a.kernel);
  w.line("const int32_t " + i + " = " +
         c_plus(std::string("o") + a.name + " * " + number(a.stride) + " + " + k + " * " +
                    number(a.dilation),
                -a.pad) +
         ";");
  if (a.pad > 0 || int64_t{a.out - 1} * a.stride + (a.kernel - 1) * a.dilation >= a.in)
    w.line("if (" + i + " < 0 || " + i + " >= " + number(a.in) + ") continue;");
}

void print_products(CWriter& w, const WideKernelOp& op, const std::string& input,
                    const std::string& weights) {
  const Workload& s = op.shape;
  const std::string place = "(iy * " + number(s.in_w) + " + ix) * " + number(s.in_c);
  const std::string tap = "ky * " + number(s.kernel_w) + " + kx";
  const std::string type = sum_type(op);
  if (is_depthwise(op)) {
    w.line("sum += (" + type + ")(" + input + "[" + place + " + c / " + number(s.depth_multiplier) +
           "] * " + weights + "[(" + tap + ") * " + number(s.out_c) + " + c]);");
    return;
  }
  const int fan_in = s.in_c / s.groups, taps = s.kernel_h * s.kernel_w;
  w.line("const int16_t *const x = " + input + " + " + place + " + c / " +
         number(s.out_c / s.groups) + " * " + number(fan_in) + ";");
  w.line("const int8_t *const y = " + weights + " + (c * " + number(taps) + " + " + tap + ") * " +
         number(fan_in) + ";");
  w.loop("i", fan_in).line("sum += (" + type + ")(x[i] * y[i]);").close();
}

// `v`, the channel's scaled sum.
void print_scaled(CWriter& w, const WideKernelOp& op, EmitContext& context) {
  std::vector<int32_t> multiplier = op.multiplier, shift = op.shift;
  if (op.long_sums)
    for (size_t c = 0; c < shift.size(); ++c) {
      multiplier[c] = fixed_point::high_half(multiplier[c]);
      shift[c] = 15 - shift[c];
    }
  const std::string bias = long_constant(context, "bias", op.bias, "c");
  const std::string scales =
      ", " + context.constant("multiplier", CType::kInt32, little_endian_bytes(multiplier)) +
      "[c], " + context.constant("shift", CType::kInt32, little_endian_bytes(shift)) + "[c]);";
  if (op.long_sums)
    w.line("int32_t v = " + context.helper(kScaleLong) + "((int64_t)sum + " + bias + scales);
  else
    w.line("int32_t v = " + context.helper(kRequantise) + "((int32_t)(sum + (uint32_t)" + bias +
           ")" + scales);
}

std::string emit(const IntegerOp& any, EmitContext& context) {
  const WideKernelOp& op = std::get<WideKernelOp>(any);
  const Workload& s = op.shape;
  const std::string input = context.input(0), weights = context.input(1);
  CWriter w(1);
  w.loop("n", s.batch).loop("oy", s.out_h).loop("ox", s.out_w).loop("c", s.out_c);
  w.line(std::string(sum_type(op)) + " sum = 0;");
  open_taps(w, {"y", s.in_h, s.out_h, s.kernel_h, s.stride_h, s.dilation_h, s.pad_top});
  open_taps(w, {"x", s.in_w, s.out_w, s.kernel_w, s.stride_w, s.dilation_w, s.pad_left});
  print_products(w, op, input, weights);
  w.close().close();
  print_scaled(w, op, context);
  print_clamped_store(
      w, {"*" + context.output() + "++", s.activation_min, s.activation_max, 0, "int16_t"});
  w.close().close().close();
  w.line(input + " += " + number(int64_t{s.in_h} * s.in_w * s.in_c) + ";").close();
  return w.text();
}

}  // namespace

extern const OperatorEmitter kWideKernelEmitter;
const OperatorEmitter kWideKernelEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<WideKernelOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit};

}  // namespace tinytune
