// GATHER, GATHER_ND, EMBEDDING_LOOKUP: copies slices; reads places in their own tensor. Clamps
// computed places to the data, so that no network reads beyond its tensors.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {
namespace {

// Returns the bytes copied at once: 4 if every slice begins and ends at a multiple of 4.
int64_t granule(const GatherOp& op) {
  bool words = op.slice_bytes % 4 == 0 && op.block_bytes % 4 == 0;
  for (const GatherOp::Coordinate& c : op.coordinates) words = words && c.step_bytes % 4 == 0;
  return words ? 4 : 1;
}

}  // namespace

std::string emit(const GatherOp& op, EmitContext& context) {
  const int64_t unit = granule(op);
  const std::string type = unit == 4 ? "uint32_t" : "uint8_t";
  const auto number = [](int64_t n) { return std::to_string(n); };
  const std::string data = context.input(op.places_first ? 1 : 0);
  const std::string places = context.input(op.places_first ? 0 : 1);
  CWriter w(1);
  w.line("const " + type + " *data = (const " + type + " *)" + data + ";");
  w.line(type + " *to = (" + type + " *)" + context.output() + ";");
  w.loop("batch", op.batches).loop("block", op.blocks);
  w.line("const int32_t *place = " + places + " + batch * " +
         number(op.places * static_cast<int64_t>(op.coordinates.size())) + ";");
  w.loop("p", op.places).line("const " + type + " *from = data;");
  for (const GatherOp::Coordinate& along : op.coordinates) {
    w.open("").line("int32_t at = *place++;");
    if (op.constant_at.empty()) {
      w.line("if (at < 0) at = 0;");
      w.line("if (at > " + number(along.extent - 1) + ") at = " + number(along.extent - 1) + ";");
    }
    w.line("from += at * " + number(along.step_bytes / unit) + ";").close();
  }
  w.loop("i", op.slice_bytes / unit).line("*to++ = from[i];").close();
  w.close().line("data += " + number(op.block_bytes / unit) + ";").close().close();
  return w.text();
}

bool in_place(const GatherOp&, int) { return false; }

}  // namespace tinytune::emitter
