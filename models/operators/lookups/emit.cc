// Functions of one byte: activations and QUANTIZE between 8-bit types, by table.
#include "codegen/operators/elementwise.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {

std::string emit(const LookupOp& op, EmitContext& context) {
  const std::string table = context.constant(
      "table", CType::kUint8, std::vector<uint8_t>(op.table.begin(), op.table.end()));
  CWriter w(1);
  // Byte pointers: the types on either side may be signed or not.
  w.line("const uint8_t *from = (const uint8_t *)" + context.input(0) + ";");
  w.line("uint8_t *to = (uint8_t *)" + context.output() + ";");
  print_elementwise(w, op.elements, {"from", "", "to", context.core().element_pass()},
                    [&](CWriter& e, const auto& from, const auto&, const auto& to) {
                      e.line(to + " = " + table + "[" + from + "];");
                    });
  return w.text();
}

bool in_place(const LookupOp&, int) { return true; }

}  // namespace tinytune::emitter
