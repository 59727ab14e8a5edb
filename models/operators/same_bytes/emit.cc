// RESHAPE whose output is no alias of its input.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/copy_loop.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {

std::string emit(const CopyOp& op, EmitContext& context) {
  const int64_t bytes = op.bytes;
  const int64_t unit = bytes % 4 == 0 ? 4 : 1;
  const std::string type = unit == 4 ? "uint32_t" : "uint8_t";
  CWriter w(1);
  copy_loop(w, {type, "(" + type + " *)" + context.output(),
                "(const " + type + " *)" + context.activation(0), bytes / unit});
  return w.text();
}

bool in_place(const CopyOp&, int) { return false; }

}  // namespace tinytune::emitter
