// RESIZE_NEAREST_NEIGHBOR: copies pixels from rows and columns that tables list.
#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/copy_loop.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {

std::string emit(const ResizeOp& op, EmitContext& context) {
  // Offsets of the rows and columns that are read, in elements.
  std::vector<int32_t> rows, columns;
  for (const int row : op.rows) rows.push_back(row * op.in_w * op.channels);
  for (const int column : op.columns) columns.push_back(column * op.channels);
  const std::string row_table = context.constant("rows", CType::kInt32, little_endian_bytes(rows));
  const std::string column_table =
      context.constant("columns", CType::kInt32, little_endian_bytes(columns));
  const int64_t unit = op.channels % 4 == 0 ? 4 : 1;
  const std::string type = unit == 4 ? "uint32_t" : "uint8_t";
  CWriter w(1);
  w.loop("n", op.batch);
  w.loop("y", static_cast<int64_t>(rows.size()));
  w.loop("x", static_cast<int64_t>(columns.size()));
  copy_loop(w, {type, "(" + type + " *)" + context.output(),
                "(const " + type + " *)(" + context.input(0) + " + " + row_table + "[y] + " +
                    column_table + "[x])",
                op.channels / unit});
  w.line(context.output() + " += " + std::to_string(op.channels) + ";");
  w.close().close();
  w.line(context.input(0) + " += " + std::to_string(int64_t{op.in_h} * op.in_w * op.channels) + ";")
      .close();
  return w.text();
}

bool in_place(const ResizeOp&, int) { return false; }

}  // namespace tinytune::emitter
