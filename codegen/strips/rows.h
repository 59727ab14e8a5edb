// Maps rows of an operator's output to the input rows that they need, and builds the operator that
// computes only these rows.
//
// The latter is an ordinary operator with fewer rows and its share of the padding, so templates,
// emitters and the reference need no notion of strips. The result is exact, because outputs of
// these operators depend only on their windows.
#pragma once

#include <optional>

#include "models/graph.h"
#include "models/integer_op.h"

namespace tinytune {

/// Rows [begin, end) of an image tensor.
struct RowRange {
  int begin = 0, end = 0;

  int count() const { return end - begin; }
  bool empty() const { return begin >= end; }
  bool operator==(const RowRange&) const = default;
};

/// Row y of the output needs rows [y * stride - pad, y * stride - pad + reach) of every input,
/// clipped to the input.
struct RowMap {
  int in_rows = 1, out_rows = 1;
  int stride = 1, pad = 0, reach = 1;

  /// Returns the input rows that `out` needs; requires at least one row.
  RowRange needed(RowRange out) const;
};

/// Returns nothing if the operator cannot be computed row by row: layouts other than NHWC, batches,
/// dense layers, broadcast or constant operands, rows whose window is all padding.
std::optional<RowMap> row_map(const Graph& graph, const Operator& op, const IntegerOp& form);

/// Returns the operator that computes rows `out`, given only the input rows that they need.
IntegerOp computing_rows(const IntegerOp& form, const RowMap& map, RowRange out);

}  // namespace tinytune
