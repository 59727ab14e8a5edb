#include "codegen/networks/executed_graph.h"

#include <algorithm>
#include <string>
#include <utility>

#include "codegen/networks/operator_order.h"
#include "codegen/networks/subsampled_shortcuts.h"

namespace tinytune {

LaidOutGraph graph_of_groups(const IntegerNetwork& network, const NetworkOptions& options) {
  const auto layouts =
      options.layouts ? options.layouts(network.graph, network.ops) : std::vector<Layout>();
  LaidOutGraph graph = lay_out(network.graph, network.ops, layouts);
  if (!options.early_shortcuts || !network.may_reorder) return graph;
  subsample_shortcuts(graph);
  order_operators(graph, {});
  return graph;
}

LaidOutGraph laid_out(const IntegerNetwork& network, const NetworkOptions& options) {
  LaidOutGraph graph = graph_of_groups(network, options);
  if (network.may_reorder) order_operators(graph, options.strips);
  return graph;
}

Result<std::vector<StripFlow>> strip_flows(const LaidOutGraph& network,
                                           std::span<const StripGroup> groups) {
  std::vector<StripFlow> flows;
  for (const StripGroup& group : groups) {
    TT_TRY_ASSIGN(StripFlow flow, strip_flow(network.graph, network.ops, group));
    flows.push_back(std::move(flow));
  }
  std::sort(flows.begin(), flows.end(),
            [](const StripFlow& a, const StripFlow& b) { return a.first_step < b.first_step; });
  for (size_t f = 1; f < flows.size(); ++f)
    if (flows[f].first_step <= flows[f - 1].last_step)
      return Error(ErrorCode::kInvalidInput, "operator " + std::to_string(flows[f].group.first) +
                                                 " is in two groups of strips");
  return flows;
}

}  // namespace tinytune
