// ADD, SUB and MUL of int16, by the reference's own steps.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

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

}  // namespace tinytune::emitter
