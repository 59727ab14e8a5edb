// The kernel of an untuned layer: the fastest of all templates' defaults; more memory never makes
// it slower.
#include "deploy/selection/estimated_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "deploy/model/model_state.h"
#include "deploy/selection/arena_worth.h"
#include "deploy/selection/device_memory.h"
#include "deploy/selection/fitting.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "tinytune/layer.h"

namespace tinytune::test {
namespace {

// 3x3 with stride 2 and without padding: whole tensors leave few bytes for scratch.
const char* const kStrided = "conv2d 3x3 32->64 in16x16 s2 valid";
// One dimension: fast kernels need scratch of more than a twentieth of the layer's tensors.
const char* const kOneDimension = "conv2d 1x3 32->32 in1x98";

struct Described {
  Layer layer;
  Device device;
  const Task& task() const { return layer.model().state().tasks.at(0); }
  const IntegerNetwork& network() const { return layer.model().state().network; }
};

Described describe(const std::string& text, const std::string& device) {
  auto layer = Layer::describe(text);
  EXPECT_TRUE(layer) << layer.error().message();
  auto loaded = load_device(device);
  EXPECT_TRUE(loaded) << loaded.error().message();
  return {std::move(layer).value(), std::move(loaded).value()};
}

std::vector<EstimatedKernel> kernels_of(const Described& described, const LayerPlace& place) {
  return estimated_kernels(described.task().workload, described.task().data, described.device,
                           place);
}

bool is_general(const EstimatedKernel& kernel) {
  const std::string name = kernel.schedule.template_name();
  return name.starts_with("direct_") || name.starts_with("depthwise_");
}

TEST(EstimatedKernels, FastestComeFirst_AndNoneIsSlowerThanTheFirstTemplateThatFits) {
  for (const char* device : {"cortex-m4", "rv32imc"})
    for (const char* text :
         {kStrided, kOneDimension, "dense 64->64", "depthwise 3x3 32->32 in16x16"}) {
      const Described described = describe(text, device);
      const Task& task = described.task();
      const auto kernels = kernels_of(described, {});
      ASSERT_FALSE(kernels.empty()) << text << " on " << device;
      EXPECT_TRUE(std::ranges::is_sorted(kernels, {}, &EstimatedKernel::cycles)) << text;
      const auto first = permitted_default_of(task.workload, task.data, described.device);
      ASSERT_TRUE(first) << first.error().message();
      EXPECT_TRUE(std::ranges::any_of(kernels, [&](const EstimatedKernel& kernel) {
        return kernel.schedule == first->schedule;
      })) << text;
      const auto usual = usual_kernel(task.workload, task.data, described.device);
      ASSERT_TRUE(usual) << usual.error().message();
      EXPECT_EQ(usual->schedule, kernels.front().schedule) << text << " on " << device;
    }
}

// The search for the smallest memory assumes a large one, which may overlap the next memory.
TEST(EstimatedKernels, CountsDoNotDependOnTheSizeOfTheMemoryForData) {
  for (const char* device : {"rp2040", "esp32c3", "stm32f7"}) {
    const auto cycles_of = [](const Described& described) {
      std::vector<uint64_t> cycles;
      for (const auto& kernel : kernels_of(described, {})) cycles.push_back(kernel.cycles);
      return cycles;
    };
    Described roomy = describe(kOneDimension, device);
    // Another hash, so that no counts are known for it.
    roomy.device = with_data_memory(std::move(roomy.device), uint64_t{1} << 30);
    ++roomy.device.hash;
    EXPECT_FALSE(cycles_of(roomy).empty());
    EXPECT_EQ(cycles_of(roomy), cycles_of(describe(kOneDimension, device))) << device;
  }
}

TEST(EstimatedKernels, SmladRowsGiveWayToWhatIsFaster) {
  const auto kernels = kernels_of(describe(kStrided, "cortex-m4"), {});
  ASSERT_FALSE(kernels.empty());
  EXPECT_EQ(kernels.front().schedule.template_name(), "smlad_nhwc");
  EXPECT_LT(kernels.front().cycles, 720'000u);
}

TEST(EstimatedKernels, GeneralTemplatesAreOfferedWhereThereAreNoOthers) {
  for (const EstimatedKernel& kernel : kernels_of(describe(kStrided, "cortex-m4"), {}))
    EXPECT_FALSE(is_general(kernel)) << to_text(kernel.schedule);
  const auto alone = kernels_of(describe("depthwise 3x3 32->32 in16x16", "rp2040"), {});
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_TRUE(is_general(alone.front()));
}

TEST(EstimatedKernels, LeanerOnesAreOfferedWhereScratchMakesTheArenaLarger) {
  const Described described = describe(kStrided, "cortex-m4");
  const auto scratch_of_leanest = [&](const std::vector<EstimatedKernel>& kernels) {
    uint32_t least = std::numeric_limits<uint32_t>::max();
    for (const EstimatedKernel& kernel : kernels)
      least = std::min(least, scratch_bytes_of(described.task().workload, kernel.schedule));
    return least;
  };
  const auto usual = kernels_of(described, {});
  const auto tight = kernels_of(described, {.free_scratch = 0});
  EXPECT_GT(tight.size(), usual.size());
  EXPECT_LT(scratch_of_leanest(tight), scratch_of_leanest(usual));
  EXPECT_EQ(tight.front().schedule, usual.front().schedule);
}

TEST(EstimatedKernels, MoreArenaNeverCostsCycles) {
  for (const char* device : {"cortex-m4", "esp32c3"})
    for (const char* text : {kStrided, kOneDimension}) {
      const Described described = describe(text, device);
      const Records none;
      const uint64_t bound = described.layer.model().info().arena_lower_bound;
      uint64_t fewest = std::numeric_limits<uint64_t>::max();
      for (uint64_t arena = bound; arena <= bound + 8192; arena += 512) {
        const auto worth =
            arena_worth(described.network(), described.device, none, arena, {"layer"});
        ASSERT_TRUE(worth) << worth.error().message();
        if (!*worth) continue;  // nothing fits
        EXPECT_LE((*worth)->cycles, fewest) << text << " on " << device << " in " << arena;
        fewest = (*worth)->cycles;
        EXPECT_LE((*worth)->fewest_cycles, fewest);
      }
    }
}

TEST(EstimatedKernels, ArenaThatNobodyChose_TakesScratchThatPays) {
  const Described described = describe(kOneDimension, "cortex-m4");
  const Records none;
  const auto network = generate_within(described.network(), described.device, none, {}, {"layer"});
  ASSERT_TRUE(network) << network.error().message();
  const auto worth =
      arena_worth(described.network(), described.device, none, network->arena_bytes, {"layer"});
  ASSERT_TRUE(worth) << worth.error().message();
  ASSERT_TRUE(*worth);
  EXPECT_LE((*worth)->cycles, (*worth)->fewest_cycles * 11 / 10);
  EXPECT_LE(network->arena_bytes, network->arena_lower_bound + 4096);
}

}  // namespace
}  // namespace tinytune::test
