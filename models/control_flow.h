// IF and WHILE in a graph: marks between the operators of one flat list.
//
//   IF c … COPY ELSE … COPY END_IF               COPY WHILE … DO c … COPY END_WHILE
//
// Import inlines a subgraph at its call, so that layers, templates, passes and memory plans see a
// linear list of operators; only executors interpret the marks (ADR 67). A mark reads the tensors
// that must stay live until it: IF and DO their condition, END_WHILE all values carried from one
// round to the next. COPYs pass values in and out. Only they write a tensor more than once: both
// branches of an IF, or each round of a loop, write the same tensors.
#pragma once

#include <cstddef>
#include <vector>

#include "models/graph.h"
#include "models/operator_kind.h"

namespace tinytune {

/// Returns whether an operator is such a mark, which computes nothing itself.
bool is_mark(OperatorKind kind);

bool has_control_flow(const Graph& graph);

/// The successor of each operator in execution. Requires that the graph's marks match.
class ControlFlow {
 public:
  explicit ControlFlow(const Graph& graph);

  /// Returns the step that follows `step`. `holds`, the condition, matters at IF and DO only.
  size_t next(size_t step, bool holds) const;

 private:
  const Graph& graph_;
  std::vector<size_t> target_;  // by step: a mark's jump target; IF and DO jump on false
};

}  // namespace tinytune
