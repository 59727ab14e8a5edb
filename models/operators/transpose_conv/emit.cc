// TRANSPOSE_CONV by gathering. The reference scatters each input into the output, which needs an
// image of sums. Gathering reads, for each output, the taps that would have reached it; sums modulo
// 2^32, as the reference's are, do not depend on the order. For int8, several channels at a time
// share what they read (dot_products.h).
#include <optional>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/dot_products.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "codegen/operators/pair_text.h"
#include "models/reference/fixed_point.h"
#include "schedules/requantise.h"

namespace tinytune::emitter {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

// Opens a loop over the taps of one axis that meet an input element: index `iy`, tap `ky`.
void tap_loop(CWriter& w, const char* axis, int pad, int stride, int kernel, int in) {
  const std::string a = axis, at = "o" + a + " + " + number(pad);
  w.open("for (int32_t k" + a + " = (" + at + ") % " + number(stride) + "; k" + a + " < " +
         number(kernel) + " && k" + a + " <= " + at + "; k" + a + " += " + number(stride) + ")");
  w.line("const int32_t i" + a + " = (" + at + " - k" + a + ") / " + number(stride) + ";");
  w.line("if (i" + a + " >= " + number(in) + ") continue;");
}

// The scaling that is proved for every sum of every channel: one multiplication in place of the
// reference's two roundings, or both roundings without a test for overflow.
struct Scaling {
  std::optional<FusedRequantise> fused;
  bool is_short = false;
};

// Finds that scaling. Sums are bounded by those of a convolution with these weights.
Scaling scaling_of(const TransposeConvOp& op) {
  Workload w;
  w.in_c = op.in_c;
  w.out_c = op.out_c;
  w.kernel_h = op.kernel_h;
  w.kernel_w = op.kernel_w;
  w.input_zero_point = op.input_zero_point;
  w.output_zero_point = op.output_zero_point;
  w.activation_min = op.activation_min;
  w.activation_max = op.activation_max;
  return {fuse_requantise(w, op.data), short_requantise_proved(w, op.data)};
}

// Prints lines that scale `sum` of channel `c`, an index, and store it.
void print_output(CWriter& w, const TransposeConvOp& op, EmitContext& context,
                  const Scaling& scaling, const std::string& sum, const std::string& c) {
  const auto of_channel = [&](const char* name, const std::vector<int32_t>& values) {
    return context.constant(name, CType::kInt32, little_endian_bytes(values)) + "[" + c + "]";
  };
  const std::string total =
      "(int32_t)(" + sum + " + (uint32_t)" + of_channel("bias", op.data.bias) + ")";
  ClampedStore store{"*" + context.output() + "++", op.activation_min, op.activation_max};
  if (const auto& form = scaling.fused) {
    w.line("int32_t v = ((int32_t)((int64_t)(" + total + " * " + number(int64_t{1} << form->left) +
           ") * " + of_channel("scale", form->multiplier) + " >> 32) + " +
           of_channel("offset", form->offset) + ") >> " + number(form->right) + ";");
  } else if (scaling.is_short) {
    std::vector<int32_t> right;
    for (int channel = 0; channel < op.out_c; ++channel)
      right.push_back(right_shift(op.data, channel));
    w.line("const int32_t high = (int32_t)(((int64_t)" + total + " * " +
           of_channel("multiplier", op.data.multiplier) + " + 1073741824) >> 31);");
    w.line("const int32_t right = " + of_channel("right", right) + ";");
    w.line("int32_t v = (high + (high >> 31) + (1 << (right - 1))) >> right;");
    store.zero_point = op.output_zero_point;
  } else {
    w.line("int32_t v = " + context.helper(kRequantise) + "(" + total + ", " +
           of_channel("multiplier", op.data.multiplier) + ", " +
           of_channel("shift", op.data.shift) + ");");
    store.zero_point = op.output_zero_point;
  }
  print_clamped_store(w, store);
}

// Prints channels [first, end) of one output, `at_once` at a time.
void print_channels(CWriter& w, const TransposeConvOp& op, EmitContext& context,
                    const Scaling& scaling, int first, int end, int at_once, bool pairs) {
  if (first >= end) return;
  const std::string input = context.input(2);
  const std::string weights = context.constant("weights", CType::kInt8, bytes_of(op.data.weights));
  const int64_t per_channel = int64_t{op.kernel_h} * op.kernel_w * op.in_c;
  w.open("for (int32_t oc = " + number(first) + "; oc < " + number(end) +
         "; oc += " + number(at_once) + ")");
  const DotBlock block{1, at_once, 2};
  print_sums(w, block);
  tap_loop(w, "y", op.pad_top, op.stride_h, op.kernel_h, op.in_h);
  tap_loop(w, "x", op.pad_left, op.stride_w, op.kernel_w, op.in_w);
  const DotSide pixel{input + " + (iy * " + number(op.in_w) + " + ix) * " + number(op.in_c), 0, 1,
                      -op.input_zero_point};
  const DotSide taps{weights + " + oc * " + number(per_channel) + " + (ky * " +
                         number(op.kernel_w) + " + kx) * " + number(op.in_c),
                     per_channel, 1, 0};
  print_dot_products(w, {pixel, taps}, op.in_c, block, pairs);
  w.close().close();
  for (int c = 0; c < at_once; ++c) {
    w.open("");
    print_output(w, op, context, scaling, dot_sum(0, c), c_plus("oc", c));
    w.close();
  }
  w.close();
}

}  // namespace

std::string emit(const TransposeConvOp& op, EmitContext& context) {
  const int whole = op.out_c / kElementBlock.columns * kElementBlock.columns;
  const Scaling scaling = scaling_of(op);
  const auto print_all = [&](CWriter& w, bool pairs) {
    print_channels(w, op, context, scaling, 0, whole, kElementBlock.columns, pairs);
    print_channels(w, op, context, scaling, whole, op.out_c, 1, pairs);
  };
  CWriter w(1);
  w.loop("n", op.batch).loop("oy", op.out_h).loop("ox", op.out_w);
  if (op.in_c % 4 == 0) {
    w.line(kIfPairs);
    print_all(w, true);
    w.line("#else");
  }
  print_all(w, false);
  if (op.in_c % 4 == 0) w.line("#endif");
  w.close().close();
  w.line(context.input(2) + " += " + number(int64_t{op.in_h} * op.in_w * op.in_c) + ";").close();
  return w.text();
}

bool in_place(const TransposeConvOp&, int) { return false; }

std::string emit(const WideTransposeConvOp& wide, EmitContext& context) {
  const TransposeConvOp& op = wide.shape;
  LayerData data = op.data;
  for (size_t c = 0; c < data.shift.size(); ++c) {
    data.multiplier[c] = fixed_point::high_half(data.multiplier[c]);
    data.shift[c] = 15 - data.shift[c];
  }
  const auto words = [&](const char* name, const std::vector<int32_t>& values) {
    return context.constant(name, CType::kInt32, little_endian_bytes(values)) + "[oc]";
  };
  const std::string input = context.input(2);
  const std::string weights = context.constant("weights", CType::kInt8, bytes_of(data.weights));
  const int64_t per_channel = int64_t{op.kernel_h} * op.kernel_w * op.in_c;
  CWriter w(1);
  w.loop("n", op.batch).loop("oy", op.out_h).loop("ox", op.out_w).loop("oc", op.out_c);
  w.line("int64_t sum = " + long_constant(context, "bias", wide.bias, "oc") + ";");
  tap_loop(w, "y", op.pad_top, op.stride_h, op.kernel_h, op.in_h);
  tap_loop(w, "x", op.pad_left, op.stride_w, op.kernel_w, op.in_w);
  w.line("const int16_t *const from = " + input + " + (iy * " + number(op.in_w) + " + ix) * " +
         number(op.in_c) + ";");
  w.line("const int8_t *const taps = " + weights + " + oc * " + number(per_channel) + " + (ky * " +
         number(op.kernel_w) + " + kx) * " + number(op.in_c) + ";");
  w.loop("ic", op.in_c).line("sum += (int64_t)(from[ic] * taps[ic]);").close();
  w.close().close();
  w.line("int32_t v = " + context.helper(kScaleLong) + "(sum, " +
         words("multiplier", data.multiplier) + ", " + words("shift", data.shift) + ");");
  print_clamped_store(
      w, {"*" + context.output() + "++", op.activation_min, op.activation_max, 0, "int16_t"});
  w.close().close().close();
  w.line(input + " += " + number(int64_t{op.in_h} * op.in_w * op.in_c) + ";").close();
  return w.text();
}

bool in_place(const WideTransposeConvOp&, int) { return false; }

}  // namespace tinytune::emitter
