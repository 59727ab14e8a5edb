#include "tests/random_graphs/drawn_splits.h"

#include <algorithm>

#include "base/rng.h"
#include "codegen/networks/executed_graph.h"
#include "codegen/networks/split_layers.h"

namespace tinytune::bench {

std::vector<CoreSplit> drawn_splits(const IntegerNetwork& network, const NetworkOptions& options,
                                    uint64_t seed) {
  const LaidOutGraph laid = laid_out(network, options);
  const auto flows = strip_flows(laid, options.strips);
  if (!flows) return {};
  if (std::any_of(flows->begin(), flows->end(), [](const auto& f) { return f.streamed; }))
    return {};
  Rng rng = Rng(seed).fork("splits");
  std::vector<CoreSplit> splits = even_splits(laid, *flows);
  std::erase_if(splits, [&](const CoreSplit&) { return rng.below(4) == 0; });
  for (CoreSplit& split : splits) {
    const CoreSplit other{split.index, 1 + static_cast<int>(rng.below(12))};
    const bool possible = split_layers(laid, *flows, {&other, 1}).has_value();
    if (possible) split = other;
  }
  return splits;
}

}  // namespace tinytune::bench
