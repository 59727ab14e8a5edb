// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of int16 activations: the loops of their
// definition; those that run once are left to the compiler. Where weights prove that no sum of
// products leaves 32 bits, it has no more. Several channels at a time share the inputs, in pairs
// where the core multiplies those (pair_text.h).
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "codegen/operators/pair_text.h"
#include "models/reference/fixed_point.h"

namespace tinytune::emitter {
namespace {

constexpr int kWord = 4;

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

// One sum, where channels share no inputs or rows of weights are no words.
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

// Channels at a time that read the same inputs; 1 where words of four weights would not do.
int channels_at_once(const WideKernelOp& op) {
  const Workload& s = op.shape;
  if (is_depthwise(op) || (s.in_c / s.groups) % kWord != 0) return 1;
  for (const int channels : {4, 2})
    if (s.out_c / s.groups % channels == 0) return channels;
  return 1;
}

// Of four weights the middle ones change places: a word's bytes 0 and 2 are widened at once.
std::vector<uint8_t> in_order_of_pairs(std::vector<int8_t> weights) {
  for (size_t i = 0; i + 3 < weights.size(); i += kWord) std::swap(weights[i + 1], weights[i + 2]);
  return bytes_of(weights);
}

std::string lane(const char* name, int i) { return name + number(i); }

// Sums of `channels` channels over `words` words of weights, from `x` and `y` on.
void print_run(CWriter& w, const WideKernelOp& op, int channels, const std::string& words) {
  const int64_t row = op.shape.reduction();
  const std::string type = sum_type(op);
  w.line(kIfPairs).line("const uint32_t *pairs = (const uint32_t *)x;");
  w.line("const uint32_t *quads = (const uint32_t *)y;");
  w.open("for (int32_t i = " + words + "; i > 0; --i)");
  w.line("const uint32_t x_0 = pairs[0], x_1 = pairs[1];");
  for (int c = 0; c < channels; ++c) {
    print_widened(w, {lane("y", c), "quads[" + number(c * row / kWord) + "]"});
    for (const char* end : {"_0", "_1"})
      print_pair_product(w, std::string("x") + end, lane("y", c) + end, lane("sum", c),
                         type == "int64_t");
  }
  w.line("pairs += 2;").line("++quads;").close();
  w.line("#else").open("for (int32_t i = " + words + "; i > 0; --i)");
  constexpr int kWeightOf[kWord] = {0, 2, 1, 3};
  for (int k = 0; k < kWord; ++k) {
    w.line("const int32_t " + lane("x", k) + " = x[" + number(k) + "];");
    for (int c = 0; c < channels; ++c)
      w.line(lane("sum", c) + " += (" + type + ")(" + lane("x", k) + " * y[" +
             number(c * row + kWeightOf[k]) + "]);");
  }
  w.line("x += 4;").line("y += 4;").close().line("#endif");
}

// The same for all taps of the window.
void print_blocked_products(CWriter& w, const WideKernelOp& op, const std::string& input,
                            const std::string& weights, int channels) {
  const Workload& s = op.shape;
  const int fan_in = s.in_c / s.groups;
  const Axis rows{"y", s.in_h, s.out_h, s.kernel_h, s.stride_h, s.dilation_h, s.pad_top};
  const Axis columns{"x", s.in_w, s.out_w, s.kernel_w, s.stride_w, s.dilation_w, s.pad_left};
  const bool run = s.groups == 1 && s.dilation_w == 1;  // taps of a row are one run
  open_taps(w, rows);
  if (run) {
    w.line("int32_t ix = " + c_plus("ox * " + number(s.stride_w), -s.pad_left) + ", kx = 0;");
    w.line("int32_t end = " + number(s.in_w) + " - ix;");
    w.line("if (end > " + number(s.kernel_w) + ") end = " + number(s.kernel_w) + ";");
    w.open("if (ix < 0)").line("kx = -ix;").line("ix = 0;").close();
  } else {
    open_taps(w, columns);
  }
  w.line(
      "const int16_t *x = " + input + " + (iy * " + number(s.in_w) + " + ix) * " + number(s.in_c) +
      (s.groups == 1 ? "" : " + c / " + number(s.out_c / s.groups) + " * " + number(fan_in)) + ";");
  w.line("const int8_t *y = " + weights + " + c * " + number(s.reduction()) + " + (ky * " +
         number(s.kernel_w) + " + kx) * " + number(fan_in) + ";");
  const std::string words = number(fan_in / kWord);
  print_run(w, op, channels, run ? "(end - kx) * " + words : words);
  if (!run) w.close();
  w.close();
}

// `v`, the scaled sum of channel `c`.
void print_scaled(CWriter& w, const WideKernelOp& op, EmitContext& context, const std::string& sum,
                  const std::string& c) {
  std::vector<int32_t> multiplier = op.multiplier, shift = op.shift;
  if (op.long_sums)
    for (size_t c = 0; c < shift.size(); ++c) {
      multiplier[c] = fixed_point::high_half(multiplier[c]);
      shift[c] = 15 - shift[c];
    }
  const std::string bias = long_constant(context, "bias", op.bias, c);
  const std::string at = "[" + c + "]";
  const std::string scales =
      ", " + context.constant("multiplier", CType::kInt32, little_endian_bytes(multiplier)) + at +
      ", " + context.constant("shift", CType::kInt32, little_endian_bytes(shift)) + at + ");";
  if (op.long_sums)
    w.line("int32_t v = " + context.helper(kScaleLong) + "((int64_t)" + sum + " + " + bias +
           scales);
  else
    w.line("int32_t v = " + context.helper(kRequantise) + "((int32_t)(" + sum + " + (uint32_t)" +
           bias + ")" + scales);
}

}  // namespace

std::string emit(const WideKernelOp& op, EmitContext& context) {
  const Workload& s = op.shape;
  const std::string input = context.input(0);
  const int channels = channels_at_once(op);
  CWriter w(1);
  w.loop("n", s.batch).loop("oy", s.out_h).loop("ox", s.out_w).loop("c", s.out_c, channels);
  const auto finish = [&](int channel, const std::string& sum) {
    w.open("");
    print_scaled(w, op, context, sum, channel == 0 ? "c" : "(" + c_plus("c", channel) + ")");
    print_clamped_store(
        w, {"*" + context.output() + "++", s.activation_min, s.activation_max, 0, "int16_t"});
    w.close();
  };
  if (channels > 1) {
    const std::string weights =
        context.constant("weights", CType::kInt8, in_order_of_pairs(op.weights));
    for (int c = 0; c < channels; ++c)
      w.line(std::string(sum_type(op)) + " " + lane("sum", c) + " = 0;");
    print_blocked_products(w, op, input, weights, channels);
    for (int c = 0; c < channels; ++c) finish(c, lane("sum", c));
  } else {
    w.line(std::string(sum_type(op)) + " sum = 0;");
    open_taps(w, {"y", s.in_h, s.out_h, s.kernel_h, s.stride_h, s.dilation_h, s.pad_top});
    open_taps(w, {"x", s.in_w, s.out_w, s.kernel_w, s.stride_w, s.dilation_w, s.pad_left});
    print_products(w, op, input, context.input(1));
    w.close().close();
    finish(0, "sum");
  }
  w.close().close().close();
  w.line(input + " += " + number(int64_t{s.in_h} * s.in_w * s.in_c) + ";").close();
  return w.text();
}

bool in_place(const WideKernelOp&, int) { return false; }

}  // namespace tinytune::emitter
