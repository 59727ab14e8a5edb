// QUANTIZE between integers of which one is wider than a byte, and the rectifiers of int16.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {

std::string emit(const RescaleOp& op, EmitContext& context) {
  const auto scale = [](CWriter& w, const RescaleOp::Scale& s) {
    if (s.multiplier == 1 << 30 && s.shift == 1) return;  // 1
    if (s.multiplier == 0)
      w.line("v = 0;");
    else
      print_requantise(w, s.multiplier, s.shift);
  };
  CWriter w(1);
  w.loop("i", op.elements);
  const std::string x = context.input(0) + "[i]";
  if (op.from == ElementType::kInt32)
    w.line("int32_t v = (int32_t)((uint32_t)" + x + " - (uint32_t)" + c_int(op.input_zero_point) +
           ");");
  else
    w.line("int32_t v = " + c_plus(x, -int64_t{op.input_zero_point}) + ";");
  if (op.negative == op.positive) {
    scale(w, op.positive);
  } else {
    w.open("if (v < 0)");
    scale(w, op.negative);
    w.close().open("else");
    scale(w, op.positive);
    w.close();
  }
  const std::string out = context.output() + "[i]";
  if (op.to == ElementType::kInt32 && op.output_zero_point != 0)
    w.line("const int64_t y = (int64_t)v + " + c_int(op.output_zero_point) + ";")
        .line(out +
              " = y > INT32_MAX ? INT32_MAX : y < -INT32_MAX - 1 ? -INT32_MAX - 1 : "
              "(int32_t)y;");
  else
    print_clamped_store(w, {out, op.low, op.high, op.output_zero_point, c_type_of(op.to)});
  w.close();
  return w.text();
}

bool in_place(const RescaleOp&, int) { return false; }

}  // namespace tinytune::emitter
