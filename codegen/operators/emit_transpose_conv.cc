// TRANSPOSE_CONV, turned around: the reference scatters each input into the output, which needs an
// image of sums. Gathering reads, for each output, the taps that would have reached it;
// sums modulo 2^32, as the reference's are, do not depend on the order.
#include <functional>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/reference/fixed_point.h"

namespace tinytune {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

// Loops over the taps of one axis that meet an input element: `iy` is its index, `ky` the tap.
void tap_loop(CWriter& w, const char* axis, int pad, int stride, int kernel, int in) {
  const std::string a = axis, at = "o" + a + " + " + number(pad);
  w.open("for (int32_t k" + a + " = (" + at + ") % " + number(stride) + "; k" + a + " < " +
         number(kernel) + " && k" + a + " <= " + at + "; k" + a + " += " + number(stride) + ")");
  w.line("const int32_t i" + a + " = (" + at + " - k" + a + ") / " + number(stride) + ";");
  w.line("if (i" + a + " >= " + number(in) + ") continue;");
}

// What differs between int8 and int16.
struct Arithmetic {
  std::string element, sum;              ///< C types of the input and of sums
  std::string bias;                      ///< of channel oc
  std::function<void(CWriter&)> finish;  ///< scales `sum` and stores it
};

std::string print(const TransposeConvOp& op, EmitContext& context, const Arithmetic& a) {
  const std::string input = context.input(2);
  const std::string weights = context.constant("weights", CType::kInt8, bytes_of(op.data.weights));
  const int64_t per_channel = int64_t{op.kernel_h} * op.kernel_w * op.in_c;
  CWriter w(1);
  w.loop("n", op.batch).loop("oy", op.out_h).loop("ox", op.out_w).loop("oc", op.out_c);
  w.line(a.sum + " sum = (" + a.sum + ")" + a.bias + ";");
  tap_loop(w, "y", op.pad_top, op.stride_h, op.kernel_h, op.in_h);
  tap_loop(w, "x", op.pad_left, op.stride_w, op.kernel_w, op.in_w);
  w.line("const " + a.element + " *const from = " + input + " + (iy * " + number(op.in_w) +
         " + ix) * " + number(op.in_c) + ";");
  w.line("const int8_t *const taps = " + weights + " + oc * " + number(per_channel) + " + (ky * " +
         number(op.kernel_w) + " + kx) * " + number(op.in_c) + ";");
  w.loop("ic", op.in_c);
  const std::string x = c_plus("from[ic]", -int64_t{op.input_zero_point});
  w.line("sum += (" + a.sum + ")((" + x + ") * taps[ic]);").close();
  w.close().close();
  a.finish(w);
  w.close().close().close();
  w.line(input + " += " + number(int64_t{op.in_h} * op.in_w * op.in_c) + ";").close();
  return w.text();
}

std::string words(EmitContext& context, const char* name, const std::vector<int32_t>& values) {
  return context.constant(name, CType::kInt32, little_endian_bytes(values)) + "[oc]";
}

std::string emit(const IntegerOp& any, EmitContext& context) {
  const TransposeConvOp& op = std::get<TransposeConvOp>(any);
  const std::string scaled = context.helper(kRequantise) + "((int32_t)sum, " +
                             words(context, "multiplier", op.data.multiplier) + ", " +
                             words(context, "shift", op.data.shift) + ")";
  const auto finish = [&](CWriter& w) {
    w.line("int32_t v = " + scaled + ";");
    print_clamped_store(w, {"*" + context.output() + "++", op.activation_min, op.activation_max,
                            op.output_zero_point});
  };
  return print(op, context, {"int8_t", "uint32_t", words(context, "bias", op.data.bias), finish});
}

std::string emit_wide(const IntegerOp& any, EmitContext& context) {
  const WideTransposeConvOp& op = std::get<WideTransposeConvOp>(any);
  LayerData data = op.shape.data;
  for (size_t c = 0; c < data.shift.size(); ++c) {
    data.multiplier[c] = fixed_point::high_half(data.multiplier[c]);
    data.shift[c] = 15 - data.shift[c];
  }
  const std::string scaled = context.helper(kScaleLong) + "(sum, " +
                             words(context, "multiplier", data.multiplier) + ", " +
                             words(context, "shift", data.shift) + ")";
  const auto finish = [&](CWriter& w) {
    w.line("int32_t v = " + scaled + ";");
    print_clamped_store(w, {"*" + context.output() + "++", op.shape.activation_min,
                            op.shape.activation_max, 0, "int16_t"});
  };
  return print(op.shape, context,
               {"int16_t", "int64_t", long_constant(context, "bias", op.bias, "oc"), finish});
}

}  // namespace

extern const OperatorEmitter kTransposeConvEmitter;
const OperatorEmitter kTransposeConvEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<TransposeConvOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit};

extern const OperatorEmitter kWideTransposeConvEmitter;
const OperatorEmitter kWideTransposeConvEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<WideTransposeConvOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit_wide};

}  // namespace tinytune
