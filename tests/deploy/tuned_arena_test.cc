// The arena for a tuned network without a limit.
#include <gtest/gtest.h>

#include <utility>

#include "codegen/networks/executed_graph.h"
#include "deploy/selection/fitting.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

class TunedArena : public testing::Test {
 protected:
  GeneratedNetwork fitted(const Records& records) const {
    auto made = generate_within(network_, device_, records, {}, options_);
    EXPECT_TRUE(made) << made.error().message();
    return std::move(*made);
  }

  const Device device_ = *load_device("rv32imc");
  const IntegerNetwork network_ = [] {
    test::ImageChain chain(16, 16, 16, 3);
    chain.conv(16, {.kernel = 3});
    return *executed_network(chain.finish());
  }();
  const NetworkOptions options_{.name = "net"};
};

// By the rule for arenas, 15 % less arena would be worth 3 % more cycles.
TEST_F(TunedArena, IsNoLessThanTheUntunedNetworks) {
  const GeneratedNetwork untuned = fitted({});
  const Schedule usual = *untuned.layers[0].schedule;
  Schedule lean = usual;
  for (size_t knob = 0; knob < lean.knobs().size(); ++knob)
    if (lean.knobs()[knob].first == "tiles") lean.set_value(knob, "1");
  Records few;
  for (const auto& [schedule, cycles] : {std::pair(usual, 100000), {lean, 103000}}) {
    Measurement m;
    m.workload = to_text(network_memory(network_, options_).layers[0].op.workload);
    m.schedule = to_text(schedule);
    m.outcome = Outcome::kOk;
    m.cycles = {static_cast<uint64_t>(cycles)};
    few.add(m);
  }
  const GeneratedNetwork tuned = fitted(few);
  EXPECT_EQ(to_text(*tuned.layers[0].schedule), to_text(usual));
  EXPECT_EQ(tuned.arena_bytes, untuned.arena_bytes);
}

}  // namespace
}  // namespace tinytune
