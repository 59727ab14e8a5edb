// ADD, SUB, MUL, LOGISTIC, TANH and the rectifiers of int16, and QUANTIZE from or to it: element by
// element, by the reference's own steps.
#include "base/little_endian.h"
#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/gate_text.h"
#include "models/reference/gate_functions.h"

namespace tinytune::emitter {
namespace {

// `name` = value * 2^15, scaled.
void print_operand(CWriter& w, const std::string& name, const std::string& value,
                   int32_t multiplier, int shift) {
  w.line("int32_t " + name + ";").open("");
  w.line("int32_t v = " + value + " * " + std::to_string(1 << WideAddOp::kLeftShift) + ";");
  print_requantise(w, multiplier, shift);
  w.line(name + " = v;").close();
}

}  // namespace

std::string emit(const WideAddOp& op, EmitContext& context) {
  CWriter w(1);
  print_elementwise(
      w, op.broadcast, binary_pointers(context),
      [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
        print_operand(e, "first", a, op.input1_multiplier, op.input1_shift);
        print_operand(e, "second", b, op.input2_multiplier, op.input2_shift);
        e.line(std::string("int32_t v = first ") + (op.subtract ? "-" : "+") + " second;");
        print_requantise(e, op.output_multiplier, op.output_shift);
        print_clamped_store(e, {out, op.activation_min, op.activation_max, 0, "int16_t"});
      });
  return w.text();
}

bool in_place(const WideAddOp&, int) { return true; }

std::string emit(const WideMulOp& op, EmitContext& context) {
  CWriter w(1);
  print_elementwise(
      w, op.broadcast, binary_pointers(context),
      [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
        e.line("int32_t v = " + a + " * " + b + ";");
        print_requantise(e, op.multiplier, op.shift);
        print_clamped_store(e, {out, op.activation_min, op.activation_max, 0, "int16_t"});
      });
  return w.text();
}

bool in_place(const WideMulOp&, int) { return true; }

std::string emit(const WideGateOp& op, EmitContext& context) {
  const std::string function = context.helper(op.is_tanh ? kTanh : kScaledLogistic);
  const std::string table =
      context.constant("logistic", CType::kInt16, little_endian_bytes(logistic_table()));
  const TableStep step{op.factor, op.shift};
  CWriter w(1);
  w.loop("i", op.elements);
  std::string x = context.input(0) + "[i] * " + c_int(step.factor);
  if (step.shift > 0)
    x = "(" + x + " + " + c_int(step.half()) + ") >> " + std::to_string(step.shift);
  // tanh's end, 32768, is out of reach: both functions give an int16.
  w.line(context.output() + "[i] = (int16_t)" + function + "(" + table + ", " + x + ");").close();
  return w.text();
}

bool in_place(const WideGateOp&, int) { return true; }

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
