// The operators that import accepts, as an enumeration: kConv2d, kDepthwiseConv2d, …
#pragma once

#include "models/graph.h"

namespace tinytune {

enum class OperatorKind : int {
#define OPERATOR(kind, ...) k##kind,
#include "models/operators.inc"
#undef OPERATOR
  kExternal,  ///< computed by a function of Graph::externals, whatever the file calls it
  // Further marks, and copies, that import creates for IF and WHILE (models/control_flow.h).
  kElse,
  kEndIf,
  kDo,
  kEndWhile,
  kCopy,
#define INTEGER_OPERATOR(kind, name, form) k##kind,
#include "models/integer_operators.inc"
#undef INTEGER_OPERATOR
};

/// Returns whether `kind` is an operator of integer_operators.inc.
constexpr bool is_integer_operator(OperatorKind kind) { return kind > OperatorKind::kCopy; }

}  // namespace tinytune
