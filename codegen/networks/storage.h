// Which buffer of the arena each tensor of a network uses, and for how long.
//
// Tensors share a buffer where one is only another name for the other's bytes (RESHAPE), and where
// an operator may write its output over an input that nobody reads afterwards. Sharing is decided
// before planning: it lowers the bound itself, which no placement could. A group of strips runs as
// a whole: what it reads and writes lives through all of it, inner tensors only as their windows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "codegen/networks/memory_plan.h"
#include "codegen/strips/strip_flow.h"
#include "models/graph.h"
#include "models/integer_op.h"

namespace tinytune {

/// A tensor that a group of strips first moves to another place, from where its rows make room for
/// the group's output. Without the move each group of a chain would begin lower than the last.
struct MovedTensor {
  int tensor = 0;
  size_t buffer = 0;  ///< where it is while the group runs
};

/// Kept in the arena while the rows of an input arrive: two words.
struct RowProgress {
  static constexpr uint32_t kArrivedRows = 0, kComputedStrips = 4;  // where they are, in bytes
  static constexpr uint32_t kBytes = 8;
};

struct Storage {
  std::vector<ArenaBuffer> buffers;
  std::vector<std::optional<size_t>> buffer_of;  ///< by tensor id; nothing for constants and unused
  std::vector<int> first_step, last_step;        ///< by tensor id; -1: before step 0
  /// By operator: true where the output is the input's bytes and no code runs.
  std::vector<bool> is_alias;
  std::vector<bool> is_window;  ///< by tensor id: its buffer holds some of its rows at a time
  std::vector<std::optional<MovedTensor>> moved;  ///< by flow
  std::optional<size_t> progress;  ///< the buffer of RowProgress, where rows of the input arrive
};

/// The start of an arena that networks share, which holds what each of them keeps between calls.
/// Nothing else may lie there: another network runs between two calls.
struct StateRoom {
  uint32_t offset = 0, bytes = 0;  ///< where this network's state begins, and of all networks'
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
