// How each operator joins a graph: one function per kind, specialised from this template.
//
// The declarations come from models/operators.inc and models/integer_operators.inc, so that an
// operator added there without a generator here does not link.
#pragma once

#include "tests/random_graphs/graph_maker.h"

namespace tinytune::bench {

/// Adds an operator of this kind, and the operators and tensors that it needs.
template <OperatorKind kind>
void grow(GraphMaker& m);

#define OPERATOR(kind, ...) \
  template <>               \
  void grow<OperatorKind::k##kind>(GraphMaker & m);
#include "models/operators.inc"
#undef OPERATOR
#define INTEGER_OPERATOR(kind, ...) \
  template <>                       \
  void grow<OperatorKind::k##kind>(GraphMaker & m);
#include "models/integer_operators.inc"
#undef INTEGER_OPERATOR

/// Adds one operator, or several that commonly follow each other in networks.
void grow_something(GraphMaker& m);

/// Adds a layer with the workload of an existing one, on another input, so that they may share a
/// kernel. Does nothing if there is no layer.
void grow_twin(GraphMaker& m);

}  // namespace tinytune::bench
