// Which buffer of the arena each tensor of a network uses, and for how long.
//
// Tensors share a buffer where one is only another name for the other's bytes (RESHAPE), and where
// an operator may write its output over an input that nobody reads afterwards. Sharing is decided
// before planning: it lowers the bound itself, which no placement could.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "codegen/networks/memory_plan.h"
#include "models/graph.h"
#include "models/integer_op.h"

namespace tinytune {

struct Storage {
  std::vector<ArenaBuffer> buffers;
  std::vector<std::optional<size_t>> buffer_of;  ///< by tensor id; nothing for constants and unused
  std::vector<int> first_step, last_step;        ///< by tensor id; -1: before step 0
  /// By operator: true where the output is the input's bytes and no code runs.
  std::vector<bool> is_alias;
};

/// `ops` are the graph's operators in execution order; a step is an index into them. Graph inputs
/// are filled before step 0 and outputs read after the last one.
Storage assign_storage(const Graph& graph, std::span<const IntegerOp> ops);

}  // namespace tinytune
