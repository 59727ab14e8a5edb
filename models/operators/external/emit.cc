// External operators: a call of the user's function, and the description of the operator for it.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/operator_emitter.h"
#include "models/external_operator.h"

namespace tinytune::emitter {

std::string emit(const ExternalOp& op, EmitContext& context) {
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

bool in_place(const ExternalOp&, int) { return false; }

}  // namespace tinytune::emitter
