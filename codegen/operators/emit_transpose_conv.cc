// TRANSPOSE_CONV, turned around: the reference scatters each input into the output, which needs an
// int32 image of the output. Gathering reads, for each output, the taps that would have reached it;
// sums modulo 2^32, as the reference's are, do not depend on the order.
#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

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

std::string emit(const IntegerOp& any, EmitContext& context) {
  const TransposeConvOp& op = std::get<TransposeConvOp>(any);
  const std::string input = context.activation(0);
  const std::string requantise = context.helper(kRequantise);
  const auto words = [&](const char* name, const std::vector<int32_t>& values) {
    return context.constant(name, CType::kInt32, little_endian_bytes(values));
  };
  const std::string weights = context.constant("weights", CType::kInt8, bytes_of(op.data.weights));
  const std::string bias = words("bias", op.data.bias);
  const std::string multiplier = words("multiplier", op.data.multiplier);
  const std::string shift = words("shift", op.data.shift);
  const int64_t per_channel = int64_t{op.kernel_h} * op.kernel_w * op.in_c;
  CWriter w(1);
  w.loop("n", op.batch).loop("oy", op.out_h).loop("ox", op.out_w).loop("oc", op.out_c);
  w.line("uint32_t sum = (uint32_t)" + bias + "[oc];");
  tap_loop(w, "y", op.pad_top, op.stride_h, op.kernel_h, op.in_h);
  tap_loop(w, "x", op.pad_left, op.stride_w, op.kernel_w, op.in_w);
  w.line("const int8_t *const from = " + input + " + (iy * " + number(op.in_w) + " + ix) * " +
         number(op.in_c) + ";");
  w.line("const int8_t *const taps = " + weights + " + oc * " + number(per_channel) + " + (ky * " +
         number(op.kernel_w) + " + kx) * " + number(op.in_c) + ";");
  w.loop("ic", op.in_c);
  const std::string x = c_plus("from[ic]", -int64_t{op.input_zero_point});
  w.line("sum += (uint32_t)((" + x + ") * taps[ic]);").close();
  w.close().close();
  w.line("int32_t v = " + requantise + "((int32_t)sum, " + multiplier + "[oc], " + shift +
         "[oc]);");
  print_clamped_store(w, {"*" + context.output() + "++", op.activation_min, op.activation_max,
                          op.output_zero_point});
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
