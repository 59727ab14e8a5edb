// How each operator joins a graph: one function per kind, specialised from this template.
//
// The dispatchers are made from models/operators.inc and models/integer_operators.inc, so that an
// operator added there without a generator here does not link.
#pragma once

#include "tests/random_graphs/graph_maker.h"

namespace tinytune::bench {

/// Adds an operator of this kind, and whatever it needs before it.
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

/// An operator or several, as they stand together in networks.
void grow_something(GraphMaker& m);

/// Adds a layer with the workload of one that is there, on another input: they may share a kernel.
/// Nothing where there is none.
void grow_twin(GraphMaker& m);

}  // namespace tinytune::bench
