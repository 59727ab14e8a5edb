// Functions of one byte: activations and QUANTIZE between 8-bit types, by table.
#include "codegen/elementwise.h"
#include "codegen/operator_emitter.h"

namespace tinytune {
namespace {

std::string emit(const IntegerOp& any, const EmitContext& context) {
  const LookupOp& op = std::get<LookupOp>(any);
  const std::string table =
      context.constants.add(context.layer + "_table", CType::kUint8,
                            std::vector<uint8_t>(op.table.begin(), op.table.end()));
  CWriter w(1);
  // Byte pointers: the types on either side may be signed or not.
  w.line("const uint8_t *from = (const uint8_t *)input0;");
  w.line("uint8_t *to = (uint8_t *)output;");
  print_elementwise(w, op.elements, [&](CWriter& e, const auto& a, const auto&, const auto& out) {
    e.line("to" + out.substr(out.find('[')) + " = " + table + "[from" + a.substr(a.find('[')) +
           "];");
  });
  return w.text();
}

}  // namespace

extern const OperatorEmitter kLookupEmitter;
const OperatorEmitter kLookupEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<LookupOp>(op); },
    [](const IntegerOp&, int) { return true; }, emit};

}  // namespace tinytune
