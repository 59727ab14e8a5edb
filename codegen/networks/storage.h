// Which buffer of the arena each tensor of a network uses, and for how long.
//
// Tensors share a buffer if one is an alias of the other's bytes (RESHAPE), or if an operator may
// write its output over an input that has no later reader. Sharing is decided before planning,
// because it lowers the lower bound itself, which no placement can. A group of strips runs as a
// whole: its inputs and outputs live through all of it, its inner tensors only as windows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "codegen/networks/memory_plan.h"
#include "codegen/strips/strip_flow.h"
#include "models/graph.h"
#include "models/integer_op.h"

namespace tinytune {

/// A tensor that a group of strips first moves to a buffer of its own, into which its output then
/// runs from below. Without the move each group of a chain would begin lower than the last.
struct MovedTensor {
  int tensor = 0;
  size_t buffer = 0;  ///< its buffer while the group runs
};

/// Kept in the arena while the rows of an input arrive: two words.
struct RowProgress {
  static constexpr uint32_t kArrivedRows = 0, kComputedStrips = 4;  // byte offsets
  static constexpr uint32_t kBytes = 8;
};

struct Storage {
  std::vector<ArenaBuffer> buffers;
  std::vector<std::optional<size_t>> buffer_of;  ///< by tensor id; nothing for constants and unused
  std::vector<int> first_step, last_step;        ///< by tensor id; -1: before step 0
  /// By operator: true if the output is an alias of the input and no code runs.
  std::vector<bool> is_alias;
  std::vector<bool> is_window;  ///< by tensor id: its buffer holds some of its rows at a time
  std::vector<std::optional<MovedTensor>> moved;  ///< by flow
  std::optional<size_t> progress;  ///< the buffer of RowProgress, if rows of the input arrive
};

/// The start of an arena that networks share: the state of all of them. Nothing else may lie there,
/// because another network may run between two calls.
struct StateRoom {
  uint32_t offset = 0, bytes = 0;  ///< offset of this network's state; bytes of all networks' state
};

/// Returns the bytes of state between calls, each tensor rounded up to kArenaAlignment.
uint32_t state_bytes(const Graph& graph);

/// `ops` are the graph's operators in execution order; a step is an index into them. Graph inputs
/// are filled before step 0 and outputs read after the last one; variables live throughout, in
/// `room` where there is one. `flows` are of the same graph.
Storage assign_storage(const Graph& graph, std::span<const IntegerOp> ops,
                       std::span<const StripFlow> flows = {},
                       const std::optional<StateRoom>& room = {});

}  // namespace tinytune
