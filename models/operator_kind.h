// The operators that import accepts, as an enumeration: kConv2d, kDepthwiseConv2d, …
#pragma once

#include "models/graph.h"

namespace tinytune {

enum class OperatorKind : int {
#define OPERATOR(kind, ...) k##kind,
#include "models/operators.inc"
#undef OPERATOR
};

}  // namespace tinytune
