// Arithmetic on numbers without a scale: as C has it, where sums and products wrap.
#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune {
namespace {

using Function = RawArithmeticOp::Function;

std::string expression(Function function, const std::string& a, const std::string& b) {
  const auto wrapped = [&](const char* symbol) {
    return "(int32_t)((uint32_t)" + a + symbol + "(uint32_t)" + b + ")";
  };
  const auto chosen = [&](const char* symbol) { return a + symbol + b + " ? " + a + " : " + b; };
  switch (function) {
    case Function::kAdd:
      return wrapped(" + ");
    case Function::kSubtract:
      return wrapped(" - ");
    case Function::kMultiply:
      return wrapped(" * ");
    case Function::kMaximum:
      return chosen(" > ");
    case Function::kMinimum:
      break;
  }
  return chosen(" < ");
}

std::string emit_raw(const IntegerOp& any, EmitContext& context) {
  const RawArithmeticOp& op = std::get<RawArithmeticOp>(any);
  CWriter w(1);
  print_elementwise(
      w, op.broadcast, binary_pointers(context),
      [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
        e.line("int32_t v = " + expression(op.function, a, b) + ";");
        print_clamped_store(e, {out, op.activation_min, op.activation_max, 0, c_type_of(op.type)});
      });
  return w.text();
}

}  // namespace

extern const OperatorEmitter kRawArithmeticEmitter;
const OperatorEmitter kRawArithmeticEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<RawArithmeticOp>(op); },
    [](const IntegerOp&, int) { return true; }, emit_raw};

}  // namespace tinytune
