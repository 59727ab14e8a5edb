// Which layout each operator of a network works in, and the graph with the transforms that follow.
//
// The choice is a dynamic program over the operators in execution order. Its state is which copies
// of the tensors still needed exist, so branches (residual networks) are as exact as chains; a
// greedy pass would pay for two transforms where a neighbour's slower kernel needs none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "models/graph.h"
#include "models/integer_op.h"
#include "models/layout.h"
#include "schedules/workload.h"

namespace tinytune {

/// Costs in cycles.
struct LayoutCosts {
  /// Cost of a workload in its own layout; nothing if it was never measured. An unmeasured NCHW
  /// kernel is never chosen over an NHWC one: a default has to be a known quantity.
  std::function<std::optional<uint64_t>(const Workload&)> kernel;
  /// Cost of a transform out of layout `from`.
  std::function<uint64_t(const ImageShape&, Layout from)> transform;
};

/// Costs under which every operator that can work in NCHW does, with as few bytes transformed as
/// possible.
LayoutCosts all_nchw_costs();

struct LayoutPlan {
  std::vector<Layout> layouts;  ///< by operator, in execution order
  uint64_t transform_cycles = 0;
};

/// `ops` are the graph's operators in execution order, as everywhere in this folder.
LayoutPlan choose_layouts(const Graph& graph, std::span<const IntegerOp> ops,
                          const LayoutCosts& costs);

/// Returns the shape of an image tensor whose layout is free to choose; nothing for other tensors
/// and if both layouts are the same bytes.
std::optional<ImageShape> image_of(const Tensor& tensor);

/// A graph whose operators have the layouts that a plan gives them.
struct LaidOutGraph {
  /// Tensor ids of the model stay valid. Transforms are operators with kTransformIndex, and write
  /// tensors beyond the model's.
  Graph graph;
  std::vector<IntegerOp> ops;
  std::vector<Layout> layout_of;  ///< by tensor id: how the arena holds it
};

inline constexpr int kTransformIndex = -1;

/// Applies `layouts` (by operator; empty: all NHWC) and inserts the transforms that they need.
LaidOutGraph lay_out(const Graph& graph, std::vector<IntegerOp> ops,
                     std::span<const Layout> layouts);

}  // namespace tinytune
