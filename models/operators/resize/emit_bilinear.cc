// RESIZE_BILINEAR: first along a row of pixels, then between two rows. The products are integers,
// so the order in which the four are added makes no difference.
#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {
namespace {

// Returns, for each tap, the offsets of both lines in elements and the second one's weight.
std::vector<int32_t> table_of(const std::vector<BilinearOp::Tap>& taps, int step) {
  std::vector<int32_t> table;
  for (const BilinearOp::Tap& tap : taps)
    table.insert(table.end(), {tap.first * step, tap.second * step, tap.weight});
  return table;
}

std::string rounded(BilinearOp::Towards towards) {
  switch (towards) {
    case BilinearOp::Towards::kDown:
      return "v >> 20";
    case BilinearOp::Towards::kZero:
      return "v / 1048576";
    case BilinearOp::Towards::kNearest:
      break;
  }
  return "(v + (v > 0 ? 524288 : -524288)) / 1048576";
}

}  // namespace

std::string emit(const BilinearOp& op, EmitContext& context) {
  const std::string rows = context.constant(
      "rows", CType::kInt32, little_endian_bytes(table_of(op.rows, op.in_w * op.channels)));
  const std::string columns = context.constant(
      "columns", CType::kInt32, little_endian_bytes(table_of(op.columns, op.channels)));
  const std::string input = context.input(0), output = context.output();
  CWriter w(1);
  w.loop("n", op.batch).loop("y", static_cast<int64_t>(op.rows.size()));
  w.line("const int32_t *const row = " + rows + " + y * 3;");
  w.line("const int32_t below = row[2], above = 1024 - below;");
  w.loop("x", static_cast<int64_t>(op.columns.size()));
  w.line("const int32_t *const column = " + columns + " + x * 3;");
  w.line("const int32_t right = column[2], left = 1024 - right;");
  w.line("const int8_t *a = " + input + " + row[0] + column[0];");
  w.line("const int8_t *b = " + input + " + row[0] + column[1];");
  w.line("const int8_t *c = " + input + " + row[1] + column[0];");
  w.line("const int8_t *d = " + input + " + row[1] + column[1];");
  w.loop("i", op.channels);
  w.line("const int32_t v = (a[i] * left + b[i] * right) * above +");
  w.line("                  (c[i] * left + d[i] * right) * below;");
  w.line("*" + output + "++ = (int8_t)(" + rounded(op.towards) + ");");
  w.close().close().close();
  w.line(input + " += " + std::to_string(int64_t{op.in_h} * op.in_w * op.channels) + ";").close();
  return w.text();
}

bool in_place(const BilinearOp&, int) { return false; }

}  // namespace tinytune::emitter
