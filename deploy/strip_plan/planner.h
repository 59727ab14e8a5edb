// Which consecutive layers of one graph run strip by strip, and in how many rows: a shortest path.
//
// What a step needs depends on its own group alone: tensors that pass by keep their bytes, whoever
// is grouped elsewhere. So the fewest extra cycles within a limit are a shortest path over the
// steps, each edge a single layer or a group of one height, and the search is exact in its estimate
// of cycles: of calls, of pixels computed twice, and of kernels that get less scratch than they
// want. What it leaves out are gaps between buffers, which the planner shows; the limit is then
// tightened by what was too much.
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
  /// Of the graph_of_groups() of `options`, whose strips count for nothing.
  StripPlanner(const IntegerNetwork& network, const NetworkOptions& options, InputArrival input,
               KernelLosses& losses);

  struct Path {
    std::vector<StripGroup> groups;  ///< empty: layer by layer
    uint32_t live_bytes = 0;         ///< of tensors: the most in any step
    uint64_t extra_cycles = 0;
  };

  /// The path with the fewest extra cycles whose tensors and windows fit; nothing where none do.
  /// Kernels' scratch comes on top.
  std::optional<Path> within(uint64_t arena_bytes, const SlowWhenLean& slow) const;

  /// The smallest arena of tensors and windows that was found.
  uint64_t smallest_arena() const;

  /// What the paths lead over.
  const LaidOutGraph& graph() const { return graph_; }

 private:
  struct Kernel {
    size_t step = 0, number = 0;  // number: in losses_
    uint32_t live_bytes = 0;      // of tensors while it runs
    int calls = 1;
  };
  struct Edge {
    int first = 0, last = 0;  // steps
    int rows = 0;             // 0: one layer, as a whole
    uint32_t live_bytes = 0;  // the most in any of its steps
    uint64_t extra_cycles = 0;
    std::vector<Kernel> kernels = {};
  };

  InputArrival arrival_at(int first) const { return first == 0 ? input_ : InputArrival::kWhole; }
  void add_layers();
  void add_groups_from(int first);
  const KernelOp* kernel_at(size_t step) const;  // null where no kernel computes
  uint64_t cycles_of(const Edge& edge, uint64_t limit, const SlowWhenLean& slow) const;
  std::optional<Path> shortest(uint64_t limit, const SlowWhenLean& slow) const;
  uint64_t least_live() const;
  uint64_t planned_arena(const std::vector<StripGroup>& groups) const;

  const IntegerNetwork& network_;
  NetworkOptions options_;
  InputArrival input_;
  KernelLosses& losses_;
  LaidOutGraph graph_;
  std::vector<size_t> whole_;             // in losses_, by step; of those with kernels
  std::vector<std::vector<Edge>> edges_;  // by their last step
};

}  // namespace tinytune
