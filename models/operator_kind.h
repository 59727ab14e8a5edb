// The operators that import accepts, as an enumeration: kConv2d, kDepthwiseConv2d, …
#pragma once

#include "models/graph.h"

namespace tinytune {

enum class OperatorKind : int {
#define OPERATOR(kind, ...) k##kind,
#include "models/operators.inc"
#undef OPERATOR
  kExternal,  ///< computed by a function of Graph::externals, whatever the file calls it
  // What import makes of IF and WHILE besides (models/control_flow.h).
  kElse,
  kEndIf,
  kDo,
  kEndWhile,
  kCopy,
};

}  // namespace tinytune
