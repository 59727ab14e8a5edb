#include "tests/random_graphs/drawn_strips.h"

#include "base/rng.h"
#include "codegen/networks/executed_graph.h"

namespace tinytune::bench {

std::vector<StripGroup> drawn_strips(const IntegerNetwork& network, const NetworkOptions& options,
                                     uint64_t seed) {
  std::vector<StripGroup> groups;
  if (!network.may_run_in_strips) return groups;
  const LaidOutGraph laid = graph_of_groups(network, options);
  Rng rng = Rng(seed).fork("strips");
  const bool streams = Rng(seed).fork("streams").below(4) != 0;
  const size_t steps = laid.ops.size();
  for (size_t first = 0; first < steps; ++first) {
    const size_t longest = 1 + rng.below(6);
    const int rows = 1 + static_cast<int>(rng.below(rng.below(2) == 0 ? 2 : 8));
    for (size_t length = std::min(longest, steps - first); length > 0; --length) {
      StripGroup group{laid.graph.operators[first].index,
                       laid.graph.operators[first + length - 1].index, rows,
                       streams && first == 0 ? InputArrival::kRows : InputArrival::kWhole};
      if (!strip_flow(laid.graph, laid.ops, group)) {
        group.input = InputArrival::kWhole;
        if (!strip_flow(laid.graph, laid.ops, group)) continue;
      }
      groups.push_back(group);
      first += length - 1;
      break;
    }
  }
  return groups;
}

}  // namespace tinytune::bench
