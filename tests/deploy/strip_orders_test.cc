// Which layers run in strips: by the cycles lost, in the better of two orders, and by trial runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "codegen/networks/network_memory.h"
#include "codegen/passes/passes.h"
#include "deploy/selection/kernel_losses.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "deploy/strip_plan/autotune.h"
#include "deploy/strip_plan/orders.h"
#include "tests/codegen/strips/image_chains.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

using testing::IsEmpty;
using testing::Not;

const Device& device() {
  static const Device kDevice = *load_device("rv32imc");
  return kDevice;
}

Workload convolution(int rows, int columns, int channels) {
  Workload w;
  w.in_h = w.out_h = rows;
  w.in_w = w.out_w = columns;
  w.in_c = w.out_c = channels;
  w.kernel_h = w.kernel_w = 3;
  w.pad_top = w.pad_left = 1;
  w.facts.requantise = Requantise::kFused;
  return w;
}

uint64_t macs_of(const Workload& w) { return static_cast<uint64_t>(w.macs()); }

constexpr uint64_t kPlenty = 1 << 20;

class KernelLossesOf : public testing::Test {
 protected:
  uint64_t lost(const Workload& strip, uint64_t room, bool lean_is_slow = false) {
    return losses_.lost_cycles(losses_.number_of(strip), losses_.number_of(whole_), room,
                               lean_is_slow);
  }

  const Workload whole_ = convolution(16, 16, 16);
  const Device device_ = *load_device("cortex-m4");  // its default computes tiles of 4x4
  KernelLosses losses_{device_};
};

TEST_F(KernelLossesOf, WholeLayerWithRoom_AreNone) { EXPECT_EQ(lost(whole_, kPlenty), 0u); }

TEST_F(KernelLossesOf, StripOfWholeTiles_AreNone) {
  EXPECT_EQ(lost(convolution(8, 16, 16), kPlenty), 0u);
}

TEST_F(KernelLossesOf, RowsComputedTwice_AreTheirProducts) {
  const Workload strip = convolution(6, 16, 16);  // two tiles of four rows each
  EXPECT_NEAR(lost(strip, kPlenty), macs_of(strip) / 3, 1);
}

TEST_F(KernelLossesOf, StripTooLowForTheTemplate_AreAllProducts) {
  const Workload strip = convolution(3, 16, 16);
  EXPECT_EQ(lost(strip, kPlenty), macs_of(strip));
}

TEST_F(KernelLossesOf, LittleRoom_AreFewerThanNone_UnlessWeightsWait) {
  const uint64_t little = 2500;
  const uint64_t lean = lost(whole_, little), none = lost(whole_, 0);
  EXPECT_GT(lean, 0u);
  EXPECT_LT(lean, none);
  EXPECT_EQ(lost(whole_, little, /*lean_is_slow=*/true), none);
}

TEST(CountedLosses, FallWithTheRoom) {
  const Device esp32c3 = *load_device("esp32c3");
  const RandomLayer layer = random_layer(convolution(16, 16, 16), Scales::kTypical, 3);
  KernelLosses losses(esp32c3, /*constants_in_flash=*/true);
  const KernelOp whole{layer.workload, layer.data};
  Workload strip = layer.workload;
  strip.in_h = strip.out_h = 4;
  const size_t number = losses.number_of(whole), part = losses.number_of(strip);
  EXPECT_EQ(losses.lost_cycles(number, number, kPlenty, false), 0u);
  uint64_t last = std::numeric_limits<uint64_t>::max();
  for (const uint64_t room : {1000, 3000, 6000, 12000, 24000}) {
    const uint64_t lost = losses.lost_cycles(part, number, room, false);
    EXPECT_LE(lost, last) << room;
    last = lost;
  }
  EXPECT_LT(last, losses.lost_cycles(part, number, 1000, false));
  EXPECT_GT(last, 0u) << "each call fetches its weights again";
}

// Three pairs of pixels become two rather than one, because two use more of the scratch.
TEST(NearestWithin, OfSchedulesAsNear_UsesMostOfTheScratch) {
  const Device device = *load_device("rv32imc");
  Workload w = convolution(20, 16, 16);
  w.kernel_h = w.kernel_w = 5;
  w.pad_top = w.pad_left = 2;
  w.facts.lane_group = 2;
  const Schedule usual =
      *parse_schedule("lanes_nhwc/2 oc=2 pairs=3 first=2 step=2 border=test sched=pressure");
  const ConfigSpace space = (*find_template(usual))->space(w, device);
  ASSERT_TRUE(space.find(usual));
  const uint64_t all = scratch_bytes_of(w, usual), room = all * 3 / 4;
  const Schedule nearest = nearest_within(space, w, usual, room).front();
  EXPECT_EQ(nearest.get_int("pairs"), 2);
  EXPECT_LE(scratch_bytes_of(w, nearest), room);
}

IntegerNetwork network_of(const Graph& graph) { return *executed_network(graph); }

uint64_t lower_bound(const IntegerNetwork& network, bool early) {
  return network_memory(network, {.name = "net", .early_shortcuts = early}).lower_bound;
}

TEST(StripOrders, DownsamplingBlock_IsOrderedForItsShortcut) {
  const IntegerNetwork network = network_of(test::downsampling_block(1));
  const StripOrders search(network, {.name = "net"}, device());
  const auto plan = search.within(lower_bound(network, false) * 9 / 10);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->early_shortcuts);
}

TEST(StripOrders, ChainHasOneOrder) {
  const IntegerNetwork network = network_of(test::mobile_chain(1));
  const StripOrders search(network, {.name = "net"}, device());
  const auto plan = search.within(search.smallest_arena());
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->early_shortcuts);
  EXPECT_THAT(plan->groups, Not(IsEmpty()));
}

TEST(StripOrders, PlanKeepsTheLimit) {
  const IntegerNetwork network = network_of(test::downsampling_block(1));
  const StripOrders search(network, {.name = "net"}, device());
  const uint64_t smallest = search.smallest_arena();
  EXPECT_FALSE(search.within(smallest / 2));
  for (uint64_t limit = smallest; limit < 2 * smallest; limit += smallest / 5) {
    const auto plan = search.within(limit);
    ASSERT_TRUE(plan);
    NetworkOptions options{.name = "net"};
    plan->apply_to(options);
    const NetworkMemory memory = network_memory(network, options);
    EXPECT_LE(memory.arena_bytes(std::vector<uint32_t>(memory.layers.size(), 0)), limit);
  }
}

// Generates no code: a network's name is its plan in words, and its cycles are given.
class Trials : public testing::Test {
 protected:
  static std::string words(const StripPlan& plan) {
    std::string text;
    for (const StripGroup& group : plan.groups)
      text += std::to_string(group.first) + "-" + std::to_string(group.last) + "/" +
              std::to_string(group.rows) + " ";
    return text;
  }

  using Report = std::function<Result<RunReport>(const GeneratedNetwork&)>;

  std::string fastest(uint64_t limit, const Report& report) {
    const auto generate = [&](const StripPlan& plan) -> Result<Candidate> {
      plans_.push_back(plan);
      Candidate candidate;
      candidate.network.name = words(plan);
      return candidate;
    };
    const auto run = [&](Candidate& candidate) -> Status {
      TT_TRY_ASSIGN(candidate.ran, report(candidate.network));
      return ok_status();
    };
    const Error none(ErrorCode::kFailed, "does not fit");
    return StripAutotuner(search_, generate, run, none).fastest(limit)->network.name;
  }

  static RunReport report(uint64_t cycles) {
    RunReport report;
    report.footprint.cycles = cycles;
    return report;
  }

  const IntegerNetwork network_ = network_of(test::residual_block(1));
  const StripOrders search_{network_, {.name = "net"}, device()};
  std::vector<StripPlan> plans_;
};

TEST_F(Trials, PlanWithTheFewestCyclesStays) {
  uint64_t cycles = 1000;
  const std::string best = fastest(4000, [&](const auto&) { return report(cycles -= 100); });
  ASSERT_GT(plans_.size(), 1u);
  EXPECT_EQ(best, words(plans_.back()));
  plans_.clear();
  const std::string first = fastest(4000, [&](const auto&) { return report(cycles += 100); });
  EXPECT_EQ(first, words(plans_.front()));
}

TEST_F(Trials, NoPlanIsTriedTwice) {
  fastest(4000, [](const auto&) { return report(1); });
  for (size_t i = 0; i < plans_.size(); ++i)
    for (size_t k = 0; k < i; ++k) EXPECT_NE(plans_[i], plans_[k]);
}

TEST_F(Trials, LayersThatWaitForTheirWeights_GetNoKernelsThatReadThemMoreOften) {
  const SlowWhenLean all = {0, 1, 2, 3};
  uint64_t limit = search_.smallest_arena();
  while (limit < 8000 && search_.within(limit) == search_.within(limit, all)) limit += 64;
  const auto hasty = search_.within(limit), wary = search_.within(limit, all);
  ASSERT_NE(hasty, wary) << "no limit at which it matters";
  fastest(limit, [](const GeneratedNetwork&) {
    RunReport waits = report(1000);
    for (const int index : {0, 1, 2, 3}) {
      LayerCost layer;
      layer.index = index;
      layer.macs_executed = 10;
      layer.read_wait_cycles = 11;
      waits.layers.push_back(layer);
    }
    return waits;
  });
  EXPECT_THAT(plans_, testing::Contains(*hasty));
  EXPECT_THAT(plans_, testing::Contains(*wary));
}

TEST_F(Trials, NetworksThatCannotRun_FirstIsTaken) {
  const std::string first = fastest(4000, [](const auto&) -> Result<RunReport> {
    return Error(ErrorCode::kUnsupported, "no simulator");
  });
  EXPECT_EQ(plans_.size(), 1u);
  EXPECT_EQ(first, words(plans_.front()));
}

}  // namespace
}  // namespace tinytune
