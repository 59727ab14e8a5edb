#include "tests/random_graphs/drawn_arrivals.h"

#include <utility>
#include <vector>

#include "base/rng.h"
#include "codegen/networks/arrival_text.h"
#include "codegen/networks/arriving_layers.h"
#include "codegen/networks/executed_graph.h"
#include "models/control_flow.h"
#include "models/integer_op.h"

namespace tinytune::bench {

std::optional<Arrivals> drawn_arrivals(const IntegerNetwork& network, const NetworkOptions& options,
                                       const std::string& device, uint64_t seed) {
  const auto ways = load_arrival_ways(device);
  if (!ways || ways->empty() || !options.strips.empty() || has_control_flow(network.graph))
    return std::nullopt;
  // A device with such a way has one core.
  if (fills_cache(ways->front()) && !options.splits.empty()) return std::nullopt;
  Rng rng = Rng(seed).fork("arrivals");
  if (rng.below(2) == 0) return std::nullopt;
  Arrivals arrivals{ways->front(), {}};
  const LaidOutGraph laid = laid_out(network, options);
  std::vector<int> starts;  // steps that run, since the last layer that arrives
  for (size_t step = 0; step < laid.ops.size(); ++step) {
    if (arriving_kernel(laid.ops[step]) == nullptr) continue;
    starts.push_back(static_cast<int>(step));
    if (rng.below(4) == 0) continue;
    arrivals.layers.push_back({starts.back(), 1, starts[rng.below(starts.size())]});
    starts = {starts.back()};
  }
  if (arrivals.layers.empty()) return std::nullopt;
  return arrivals;
}

}  // namespace tinytune::bench
