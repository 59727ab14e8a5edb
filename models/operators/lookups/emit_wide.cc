// LOGISTIC and TANH of int16, by the reference's own steps.
#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/gate_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/reference/gate_functions.h"

namespace tinytune::emitter {

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
  // No input reaches tanh's end, 32768, so both functions give an int16.
  w.line(context.output() + "[i] = (int16_t)" + function + "(" + table + ", " + x + ");").close();
  return w.text();
}

bool in_place(const WideGateOp&, int) { return true; }

}  // namespace tinytune::emitter
