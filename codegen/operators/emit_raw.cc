// Arithmetic on numbers without a scale: as C has it, where sums and products wrap.
#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune {
namespace {

std::string emit_raw(const IntegerOp& any, EmitContext& context) {
  const RawArithmeticOp& op = std::get<RawArithmeticOp>(any);
  CWriter w(1);
  print_elementwise(
      w, op.broadcast, binary_pointers(context),
      [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
        e.line("int32_t v = " + raw_expression(op.function, a, b) + ";");
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
