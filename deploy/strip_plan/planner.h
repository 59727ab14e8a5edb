// Chooses by a shortest path the consecutive layers of a graph that run in strips, and their rows.
//
// The memory of a step depends only on its own group: tensors that stay live across it keep their
// size, however other steps are grouped. So the fewest extra cycles within a limit are a shortest
// path over the steps, whose edges are single layers or groups with a given number of rows. The
// search is exact in its estimate of cycles: of calls, of pixels computed twice, and of kernels
// with less scratch than they want. It ignores gaps between buffers, which only the memory plan
// shows; if that exceeds the limit, the search is repeated with a limit lowered by half the excess.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "codegen/networks/layout.h"
#include "codegen/networks/network.h"
#include "deploy/selection/kernel_losses.h"
#include "models/integer_network.h"

namespace tinytune {

/// Operators, by index, whose kernels would wait for their weights if they had less scratch.
using SlowWhenLean = std::set<int>;

class StripPlanner {
 public:
  /// Plans graph_of_groups() of `options`; ignores the strips of `options`.
  StripPlanner(const IntegerNetwork& network, const NetworkOptions& options, InputArrival input,
               KernelLosses& losses);

  struct Path {
    std::vector<StripGroup> groups;  ///< empty: layer by layer
    uint32_t live_bytes = 0;         ///< of tensors: the maximum over the steps
    uint64_t extra_cycles = 0;
  };

  /// Returns the path with the fewest extra cycles whose tensors and windows fit, without kernels'
  /// scratch; nothing if none do.
  std::optional<Path> within(uint64_t arena_bytes, const SlowWhenLean& slow) const;

  /// Returns the smallest arena of tensors and windows that was found.
  uint64_t smallest_arena() const;

  /// Returns the graph whose steps the paths cover.
  const LaidOutGraph& graph() const { return graph_; }

 private:
  struct Kernel {
    size_t step = 0, number = 0;  // number: in losses_
    uint32_t live_bytes = 0;      // of live tensors while it runs
    int calls = 1;
  };
  struct Edge {
    int first = 0, last = 0;  // steps
    int rows = 0;             // 0: one layer, as a whole
    uint32_t live_bytes = 0;  // maximum over its steps
    uint64_t extra_cycles = 0;
    std::vector<Kernel> kernels = {};
  };

  InputArrival arrival_at(int first) const { return first == 0 ? input_ : InputArrival::kWhole; }
  void add_layers();
  void add_groups_from(int first);
  const KernelOp* kernel_at(size_t step) const;  // null if the step has no kernel
  uint64_t cycles_of(const Edge& edge, uint64_t limit, const SlowWhenLean& slow) const;
  std::optional<Path> shortest(uint64_t limit, const SlowWhenLean& slow) const;
  uint64_t least_live() const;
  uint64_t planned_arena(const std::vector<StripGroup>& groups) const;

  const IntegerNetwork& network_;
  NetworkOptions options_;
  InputArrival input_;
  KernelLosses& losses_;
  LaidOutGraph graph_;
  std::vector<size_t> whole_;             // numbers in losses_, by step; of steps with kernels
  std::vector<std::vector<Edge>> edges_;  // by last step
};

}  // namespace tinytune
