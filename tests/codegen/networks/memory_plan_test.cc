#include "codegen/networks/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace tinytune {
namespace {

std::vector<ArenaBuffer> random_buffers(uint64_t seed, int count, int steps) {
  Rng rng(seed);
  std::vector<ArenaBuffer> buffers;
  for (int i = 0; i < count; ++i) {
    const int first = static_cast<int>(rng.below(static_cast<uint64_t>(steps)));
    const int length = static_cast<int>(rng.below(4));
    buffers.push_back(
        {static_cast<uint32_t>(1 + rng.below(5000)), first, std::min(steps - 1, first + length)});
  }
  return buffers;
}

void expect_sound(const std::vector<ArenaBuffer>& buffers, const MemoryPlan& plan) {
  ASSERT_EQ(plan.offsets.size(), buffers.size());
  EXPECT_GE(plan.arena_bytes, plan.lower_bound);
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % kArenaAlignment, 0u);
    EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.arena_bytes);
    for (size_t j = i + 1; j < buffers.size(); ++j) {
      const ArenaBuffer &a = buffers[i], &b = buffers[j];
      if (a.first_step > b.last_step || b.first_step > a.last_step) continue;
      EXPECT_TRUE(plan.offsets[i] + a.bytes <= plan.offsets[j] ||
                  plan.offsets[j] + b.bytes <= plan.offsets[i])
          << "buffers " << i << " and " << j << " overlap";
    }
  }
}

TEST(MemoryPlan, NothingLive_NeedsNoArena) {
  const MemoryPlan plan = plan_memory({});
  EXPECT_EQ(plan.arena_bytes, 0u);
  EXPECT_EQ(plan.lower_bound, 0u);
}

TEST(MemoryPlan, RandomInstances_NoLivePairOverlaps) {
  uint64_t arena = 0, bound = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto buffers = random_buffers(seed, 3 + static_cast<int>(seed % 40), 20);
    const MemoryPlan plan = plan_memory(buffers);
    expect_sound(buffers, plan);
    arena += plan.arena_bytes;
    bound += plan.lower_bound;
  }
  RecordProperty("percent_of_lower_bound", std::to_string(100 * arena / bound));
  EXPECT_LE(arena * 100, bound * 105);
}

TEST(MemoryPlan, FixedBuffers_StayAndOthersLieBehindThem) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    auto buffers = random_buffers(seed, 20, 10);
    const MemoryPlan alone = plan_memory(buffers);
    ArenaBuffer below{20, -1, 9}, above{40, -1, 9};
    above.fixed_at = 0;
    below.fixed_at = 48;
    buffers.insert(buffers.begin(), above);
    buffers.insert(buffers.begin() + 7, below);
    const MemoryPlan plan = plan_memory(buffers);
    expect_sound(buffers, plan);
    EXPECT_EQ(plan.offsets[0], 0u);
    EXPECT_EQ(plan.offsets[7], 48u);
    EXPECT_EQ(plan.arena_bytes, alone.arena_bytes + 48 + 32);
    EXPECT_EQ(plan.lower_bound, alone.lower_bound + 48 + 32);
  }
}

TEST(MemoryPlan, Chain_ReachesLowerBound) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    std::vector<ArenaBuffer> chain;
    for (int i = 0; i < 15; ++i)
      chain.push_back({static_cast<uint32_t>(16 * (1 + rng.below(300))), i, i + 1});
    const MemoryPlan plan = plan_memory(chain);
    expect_sound(chain, plan);
    EXPECT_EQ(plan.arena_bytes, plan.lower_bound) << "seed " << seed;
  }
}

TEST(MemoryPlan, OrderOfSizeMisleads_ClimbFindsTheBound) {
  // Largest first puts the two long-lived ones apart and leaves a hole that nothing fits.
  const std::vector<ArenaBuffer> buffers = {{64, 0, 1}, {48, 1, 2}, {64, 2, 3}, {32, 0, 2},
                                            {32, 3, 4}, {48, 2, 4}, {16, 1, 4}};
  const MemoryPlan plan = plan_memory(buffers);
  expect_sound(buffers, plan);
  EXPECT_EQ(plan.arena_bytes, plan.lower_bound);
}

TEST(MemoryPlan, SameBuffers_SamePlan) {
  const auto buffers = random_buffers(7, 40, 20);
  EXPECT_EQ(plan_memory(buffers).offsets, plan_memory(buffers).offsets);
}

}  // namespace
}  // namespace tinytune
