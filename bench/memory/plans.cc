// memory_plans --count N --seed S
//
// How close the offline planner comes to the lower bound on random networks, for tensors alone, as
// if no kernel had scratch. Offsets are multiples of 16, so the bound counts sizes rounded up; what
// remains above it are gaps. Exits with 1 if an arena is more than 5 % above its bound.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "codegen/networks/network_memory.h"
#include "codegen/passes/passes.h"
#include "tests/random_graphs/random_graph.h"

namespace tinytune::bench {
namespace {

int run(uint64_t count, uint64_t seed) {
  uint64_t planned = 0, at_bound = 0, missed = 0;
  double worst = 1;
  for (uint64_t index = 0; index < count; ++index) {
    const auto network = executed_network(random_graph(seed, index), {});
    if (!network) {
      fmt::print(stderr, "graph {}: {}\n", index, network.error().message());
      return 1;
    }
    const MemoryPlan plan = plan_memory(network_memory(*network, {"network"}).buffers);
    if (plan.lower_bound == 0) continue;
    const double ratio = double{1} * plan.arena_bytes / plan.lower_bound;
    ++planned;
    at_bound += plan.arena_bytes == plan.lower_bound ? 1 : 0;
    worst = std::max(worst, ratio);
    if (ratio <= 1.05) continue;
    ++missed;
    fmt::print("graph {}: {} bytes, lower bound {} ({:.3f})\n", index, plan.arena_bytes,
               plan.lower_bound, ratio);
  }
  fmt::print("{} networks: {} at their lower bound, {} above it by more than 5 %, worst {:.3f}\n",
             planned, at_bound, missed, worst);
  return missed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tinytune::bench

int main(int argc, char** argv) {
  CLI::App app("Arenas of random networks beside their lower bounds");
  uint64_t count = 500, seed = 1;
  app.add_option("--count", count);
  app.add_option("--seed", seed);
  CLI11_PARSE(app, argc, argv);
  return tinytune::bench::run(count, seed);
}
