// An operator that a function of the user's computes: a call of it, and all it is told.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/operator_emitter.h"
#include "models/external_operator.h"

namespace tinytune {
namespace {

std::string emit(const IntegerOp& any, EmitContext& context) {
  const ExternalOp& op = std::get<ExternalOp>(any);
  std::string from, to;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    from += (i == 0 ? "" : ", ") + (op.inputs[i].is_absent ? "0" : context.input(i));
  for (size_t i = 0; i < op.outputs.size(); ++i) to += (i == 0 ? "" : ", ") + context.output(i);
  CWriter w(1);
  w.raw(describe_in_c(op));
  w.line("const void *const tinytune_from[] = {" + from + "};");
  w.line("void *const tinytune_to[] = {" + to + "};");
  w.line(op.function + "(&tinytune_op, tinytune_from, tinytune_to);");
  return w.text();
}

}  // namespace

extern const OperatorEmitter kExternalEmitter;
const OperatorEmitter kExternalEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<ExternalOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit};

}  // namespace tinytune
