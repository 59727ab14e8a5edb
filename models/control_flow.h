// IF and WHILE as a graph has them: marks between the operators of the one list.
//
//   IF c … COPY ELSE … COPY END_IF               COPY WHILE … DO c … COPY END_WHILE
//
// Import puts a subgraph's operators where it is called, so that layers, templates, passes and
// memory plans see nothing but operators in a row; only who executes them has to look at the marks
// (ADR 67). A mark reads what must live until it: IF and DO their condition, END_WHILE everything
// that the loop hands from one round to the next. COPYs hand values in and out, and are all that
// writes a tensor more than once: both sides of an IF, or each round, write the same ones.
#pragma once

#include <cstddef>
#include <vector>

#include "models/graph.h"
#include "models/operator_kind.h"

namespace tinytune {

/// Whether an operator is such a mark, for which no code of its own runs.
bool is_mark(OperatorKind kind);

bool has_control_flow(const Graph& graph);

/// Where execution goes on behind each operator. The marks of a graph match each other.
class ControlFlow {
 public:
  explicit ControlFlow(const Graph& graph);

  /// The step behind `step`. `holds` is asked of IF and DO only.
  size_t next(size_t step, bool holds) const;

 private:
  const Graph& graph_;
  std::vector<size_t> target_;  // by step, of marks: behind it where the condition does not hold
};

}  // namespace tinytune
