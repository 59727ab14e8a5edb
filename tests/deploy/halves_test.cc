// Kernels of layers that two cores share: cycles are counted for the part of each core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/split_layers.h"
#include "codegen/passes/passes.h"
#include "deploy/selection/fitting.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using testing::HasSubstr;
using testing::Not;

GeneratedNetwork halved(const Graph& graph, const KernelLimits& limits) {
  const IntegerNetwork network = *executed_network(graph);
  NetworkOptions options{.name = "net", .cores = 2};
  options.splits = even_splits(laid_out(network, options), {});
  auto made = generate_within(network, *load_device("rp2350-riscv"), Records(), limits, options);
  EXPECT_TRUE(made) << made.error().message();
  return std::move(*made);
}

std::string schedule_of(const GeneratedNetwork& network, int layer) {
  for (const GeneratedLayer& generated : network.layers)
    if (generated.index == layer && generated.schedule) return to_text(*generated.schedule);
  return "";
}

// Kernels of three pixels take the least scratch. An estimate from the whole layer would rate them
// as fast as any other, and choose them.
TEST(Halves, KernelsThatCountFewer_AreWorthTheScratchOfBoth) {
  test::ImageChain chain(24, 5, 64, 3);
  chain.conv(64, {.kernel = 1});
  const std::string usual = schedule_of(halved(chain.finish(), {}), 0);
  EXPECT_THAT(usual, HasSubstr("wide_sums_nhwc"));
  EXPECT_THAT(usual, Not(HasSubstr("pixels=3")));
}

}  // namespace
}  // namespace tinytune
