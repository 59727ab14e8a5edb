// TRANSPOSE_CONV, turned around: the reference scatters each input into the output, which needs an
// int32 image of the output. Gathering reads, for each output, the taps that would have reached it;
// integer sums do not depend on the order.
#include "codegen/c_writer.h"
#include "codegen/fixed_point_text.h"
#include "codegen/operator_emitter.h"

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

std::string emit(const IntegerOp& any, const EmitContext& context) {
  const TransposeConvOp& op = std::get<TransposeConvOp>(any);
  const std::string& input = context.activations.at(0);
  need_requantise(context);
  const auto words = [&](const char* name, const std::vector<int32_t>& values) {
    return context.constants.add(context.layer + "_" + name, CType::kInt32, little_endian(values));
  };
  const std::string weights =
      context.constants.add(context.layer + "_weights", CType::kInt8, bytes_of(op.data.weights));
  const std::string bias = words("bias", op.data.bias);
  const std::string multiplier = words("multiplier", op.data.multiplier);
  const std::string shift = words("shift", op.data.shift);
  const int64_t per_channel = int64_t{op.kernel_h} * op.kernel_w * op.in_c;
  CWriter w(1);
  w.loop("n", op.batch).loop("oy", op.out_h).loop("ox", op.out_w).loop("oc", op.out_c);
  w.line("int32_t v = " + bias + "[oc];");
  tap_loop(w, "y", op.pad_top, op.stride_h, op.kernel_h, op.in_h);
  tap_loop(w, "x", op.pad_left, op.stride_w, op.kernel_w, op.in_w);
  w.line("const int8_t *const from = " + input + " + (iy * " + number(op.in_w) + " + ix) * " +
         number(op.in_c) + ";");
  w.line("const int8_t *const taps = " + weights + " + oc * " + number(per_channel) + " + (ky * " +
         number(op.kernel_w) + " + kx) * " + number(op.in_c) + ";");
  w.loop("ic", op.in_c);
  w.line("v += (" + c_plus("from[ic]", -int64_t{op.input_zero_point}) + ") * taps[ic];").close();
  w.close().close();
  w.line("v = " + context.name + "_requantise(v, " + multiplier + "[oc], " + shift + "[oc]) + " +
         c_int(op.output_zero_point) + ";");
  w.line("if (v < " + c_int(op.activation_min) + ") v = " + c_int(op.activation_min) + ";");
  w.line("if (v > " + c_int(op.activation_max) + ") v = " + c_int(op.activation_max) + ";");
  w.line("*output++ = (int8_t)v;");
  w.close().close().close();
  w.line(input + " += " + number(int64_t{op.in_h} * op.in_w * op.in_c) + ";").close();
  return w.text();
}

}  // namespace

extern const OperatorEmitter kTransposeConvEmitter;
const OperatorEmitter kTransposeConvEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<TransposeConvOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit};

}  // namespace tinytune
