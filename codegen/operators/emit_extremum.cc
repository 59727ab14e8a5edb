// MAXIMUM and MINIMUM.
#include "codegen/operators/elementwise.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune {
namespace {

std::string emit(const IntegerOp& any, EmitContext& context) {
  const ExtremumOp& op = std::get<ExtremumOp>(any);
  CWriter w(1);
  print_elementwise(
      w, op.broadcast, binary_pointers(context),
      [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
        e.line(out + " = " + a + (op.maximum ? " > " : " < ") + b + " ? " + a + " : " + b + ";");
      });
  return w.text();
}

}  // namespace

extern const OperatorEmitter kExtremumEmitter;
const OperatorEmitter kExtremumEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<ExtremumOp>(op); },
    [](const IntegerOp&, int) { return true; }, emit};

}  // namespace tinytune
