// Rows: which rows of its inputs an operator needs for some rows of its output, and the operator
// that computes just those.
//
// The latter is an operator like any other, with fewer rows and its own share of the padding, so
// templates, emitters and the reference compute strips without knowing that there are any. Exact
// because outputs of these operators depend on nothing but their windows.
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

/// Row y of the output needs rows [y * stride - pad, y * stride - pad + reach) of every input, as
/// far as these exist.
struct RowMap {
  int in_rows = 1, out_rows = 1;
  int stride = 1, pad = 0, reach = 1;

  /// Of rows that are at least one.
  RowRange needed(RowRange out) const;
};

/// Nothing where the operator cannot be computed row by row: other layouts than NHWC, batches,
/// dense layers, operands that are repeated or constant, rows that lie in the padding altogether.
std::optional<RowMap> row_map(const Graph& graph, const Operator& op, const IntegerOp& form);

/// The operator that computes rows `out` from the rows it needs of each input, and from no others.
IntegerOp computing_rows(const IntegerOp& form, const RowMap& map, RowRange out);

}  // namespace tinytune
