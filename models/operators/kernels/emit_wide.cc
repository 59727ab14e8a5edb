// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of int16 activations: plain loops; the compiler
// removes those that run once. Sums have 32 bits if the weights prove that no sum of products
// exceeds them. Several channels at a time share the inputs. For cores that multiply pairs
// (pair_text.h), weights are stored as the pairs of 16 bits that those read: twice the bytes, and
// two instructions less for four products.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "codegen/operators/pair_text.h"
#include "models/reference/fixed_point.h"

namespace tinytune::emitter {
namespace {

constexpr int kWord = 4;
constexpr size_t kMostCached = 4096;  // weights that as pairs fill half of a cache of 16 KiB

std::string number(int64_t value) { return std::to_string(value); }

bool is_depthwise(const WideKernelOp& op) { return op.shape.op == OpKind::kDepthwiseConv2d; }

// Returns the largest magnitude of any output channel's sum of products.
int64_t largest_sum(const WideKernelOp& op) {
  std::vector<int64_t> sums(static_cast<size_t>(op.shape.out_c), 0);
  const auto row = static_cast<size_t>(op.shape.reduction());
  for (size_t i = 0; i < op.weights.size(); ++i)
    sums[is_depthwise(op) ? i % sums.size() : i / row] += int64_t{std::abs(op.weights[i])} * 32768;
  return *std::max_element(sums.begin(), sums.end());
}

// Returns the type of sums: 32-bit sums of the reference wrap; long ones narrow if proved to fit.
const char* sum_type(const WideKernelOp& op) {
  if (!op.long_sums) return "uint32_t";
  return largest_sum(op) <= INT32_MAX ? "int32_t" : "int64_t";
}

// Opens a loop over the taps of one axis that lie inside the input: `i` is the input's index, `k`
// the tap's.
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

// Prints the products of a single channel's sum, if channels share no inputs or rows of weights are
// no whole words.
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

// The order of stored weights, in blocks of channels: [pair of products][channel][product of the
// pair] as 16 bits, or [product][channel] as bytes.
struct RunWeights {
  int channels;  // per block; they read the same inputs
  bool pairs;
  int run;  // products per iteration of a loop

  // Returns nullopt if rows are no whole runs.
  static std::optional<RunWeights> of(const WideKernelOp& op, const CoreFacts& core) {
    const Workload& s = op.shape;
    const int fan_in = s.in_c / s.groups;
    if (is_depthwise(op) || fan_in % kWord != 0) return std::nullopt;
    const bool stays_cached = s.out_h * s.out_w > 1 && op.weights.size() <= kMostCached;
    const bool pairs = core.has_pairs && (!core.slow_constants || stays_cached);
    for (const int channels : {8, 4, 2})
      if (s.out_c / s.groups % channels == 0 && (channels <= 4 || core.is_rv32))
        return RunWeights{channels, pairs, pairs && fan_in % (2 * kWord) == 0 ? 2 * kWord : kWord};
    return std::nullopt;
  }
  // Returns the index of a weight from the start of its run.
  int place(int product, int channel) const {
    return pairs ? 2 * (product / 2 * channels + channel) + product % 2
                 : product * channels + channel;
  }
  std::vector<uint8_t> bytes(const WideKernelOp& op) const {
    const auto row = static_cast<size_t>(op.shape.reduction()),
               block = static_cast<size_t>(channels);
    std::vector<uint8_t> packed;
    for (size_t first = 0; first < op.weights.size(); first += row * block)
      for (size_t k = 0; k < row; k += pairs ? 2 : 1)
        for (size_t c = 0; c < block; ++c) {
          const int8_t* weights = op.weights.data() + first + c * row + k;
          if (!pairs) packed.push_back(static_cast<uint8_t>(*weights));
          for (size_t half = 0; half < 2 && pairs; ++half)
            append_little_endian(packed, static_cast<int16_t>(weights[half]));
        }
    return packed;
  }
};

std::string lane(const char* name, int i) { return name + number(i); }

// Prints the sums of a block of channels over `runs` runs of products, from `x` and `y` on.
void print_run(CWriter& w, const WideKernelOp& op, const RunWeights& weights,
               const std::string& runs) {
  const std::string type = sum_type(op);
  if (weights.pairs) {
    const int pairs = weights.run / 2;
    w.line(kIfPairs).line("const uint32_t *inputs = (const uint32_t *)x;");
    w.line("const uint32_t *pairs = (const uint32_t *)y;");
    w.line("for (const uint32_t *const last = inputs + " + number(pairs) + " * (" + runs +
           "); inputs != last;");
    w.open("     inputs += " + number(pairs) + ", pairs += " + number(pairs * weights.channels) +
           ")");
    for (int k = 0; k < pairs; ++k) {
      w.line("const uint32_t " + lane("x", k) + " = inputs[" + number(k) + "];");
      for (int c = 0; c < weights.channels; ++c)
        print_pair_product(w, lane("x", k), "pairs[" + number(weights.place(2 * k, c) / 2) + "]",
                           lane("sum", c), type == "int64_t");
    }
    w.close().line("#else");
  }
  w.open("for (int32_t i = " + runs + "; i > 0; --i)");
  for (int k = 0; k < weights.run; ++k) {
    w.line("const int32_t " + lane("x", k) + " = x[" + number(k) + "];");
    for (int c = 0; c < weights.channels; ++c)
      w.line(lane("sum", c) + " += (" + type + ")(" + lane("x", k) + " * y[" +
             number(weights.place(k, c)) + "]);");
  }
  w.line("x += " + number(weights.run) + ";");
  w.line("y += " + number(weights.run * weights.channels) + ";").close();
  if (weights.pairs) w.line("#endif");
}

// The same for all taps of the window.
void print_blocked_products(CWriter& w, const WideKernelOp& op, const std::string& input,
                            const RunWeights& weights, const std::string& array) {
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
  w.line(std::string(weights.pairs ? "const int16_t" : "const int8_t") + " *y = " + array +
         " + c * " + number(s.reduction()) + " + (ky * " + number(s.kernel_w) + " + kx) * " +
         number(fan_in * weights.channels) + ";");
  const std::string runs = number(fan_in / weights.run);
  print_run(w, op, weights, run ? "(end - kx) * " + runs : runs);
  if (!run) w.close();
  w.close();
}

// Returns the 16-bit multipliers of fixed_point::scale_long() times 2^32 / 2^right, if they and all
// sums with biases fit 32 bits: then the high word of one product is the scaled sum. Else empty.
std::vector<int32_t> multipliers_of_words(const WideKernelOp& op) {
  int64_t largest_bias = 0;
  for (const int64_t bias : op.bias) largest_bias = std::max(largest_bias, std::abs(bias));
  if (!op.long_sums || largest_bias > INT32_MAX || largest_sum(op) + largest_bias > INT32_MAX)
    return {};
  std::vector<int32_t> multipliers;
  for (size_t c = 0; c < op.shift.size(); ++c) {
    const int right = 15 - op.shift[c];
    if (right < 17 || right > 32) return {};
    multipliers.push_back(fixed_point::high_half(op.multiplier[c]) * (1 << (32 - right)));
  }
  return multipliers;
}

// Prints `v`, the scaled sum of a channel.
class ScaledText {
 public:
  ScaledText(const WideKernelOp& op, EmitContext& context)
      : op_(op), context_(context), of_words_(multipliers_of_words(op)) {}

  void print(CWriter& w, const std::string& sum, const std::string& c) const {
    const std::string bias = long_constant(context_, "bias", op_.bias, c);
    if (!of_words_.empty()) {
      w.line("int32_t v = (int32_t)(((int64_t)(" + sum + " + " + bias + ") * " +
             of_channel("multiplier", of_words_, c) + " + 2147483648) >> 32);");
      return;
    }
    std::vector<int32_t> multiplier = op_.multiplier, shift = op_.shift;
    if (op_.long_sums)
      for (size_t at = 0; at < shift.size(); ++at) {
        multiplier[at] = fixed_point::high_half(multiplier[at]);
        shift[at] = 15 - shift[at];
      }
    const std::string scales = ", " + of_channel("multiplier", multiplier, c) + ", " +
                               of_channel("shift", shift, c) + ");";
    if (op_.long_sums)
      w.line("int32_t v = " + context_.helper(kScaleLong) + "((int64_t)" + sum + " + " + bias +
             scales);
    else
      w.line("int32_t v = " + context_.helper(kRequantise) + "((int32_t)(" + sum + " + (uint32_t)" +
             bias + ")" + scales);
  }

 private:
  std::string of_channel(const char* name, const std::vector<int32_t>& values,
                         const std::string& c) const {
    return context_.constant(name, CType::kInt32, little_endian_bytes(values)) + "[" + c + "]";
  }

  const WideKernelOp& op_;
  EmitContext& context_;
  const std::vector<int32_t> of_words_;
};

}  // namespace

std::string emit(const WideKernelOp& op, EmitContext& context) {
  const Workload& s = op.shape;
  const std::string input = context.input(0);
  const auto weights = RunWeights::of(op, context.core());
  const int channels = weights ? weights->channels : 1;
  const std::string type = sum_type(op);
  const ScaledText scaled(op, context);
  CWriter w(1);
  w.loop("n", s.batch).loop("oy", s.out_h).loop("ox", s.out_w).loop("c", s.out_c, channels);
  const auto finish = [&](int channel, const std::string& sum) {
    w.open("");
    scaled.print(w, sum, channel == 0 ? "c" : "(" + c_plus("c", channel) + ")");
    print_clamped_store(
        w, {"*" + context.output() + "++", s.activation_min, s.activation_max, 0, "int16_t"});
    w.close();
  };
  if (weights) {
    const std::string array = context.constant(
        "weights", weights->pairs ? CType::kInt16 : CType::kInt8, weights->bytes(op));
    for (int c = 0; c < channels; ++c) w.line(type + " " + lane("sum", c) + " = 0;");
    print_blocked_products(w, op, input, *weights, array);
    for (int c = 0; c < channels; ++c) finish(c, lane("sum", c));
  } else {
    w.line(type + " sum = 0;");
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
