// How much memory copies to fast memory may take, and which of them are worth it.
#include "deploy/selection/fast_memory.h"

#include <gtest/gtest.h>

#include "deploy/selection/arena_limit.h"
#include "deploy/selection/device_memory.h"

namespace tinytune::test {
namespace {

TEST(FastBudget, ByDefault_HalfOfWhatTheArenaLeavesStaysFree) {
  for (const char* name : {"esp32c3", "stm32f4", "stm32f7", "stm32l4r5", "rp2040"}) {
    SCOPED_TRACE(name);
    const Device device = *load_device(name);
    for (const uint64_t arena : {1'000u, 20'000u, 60'000u}) {
      const FastBudget budget = fast_budget(device, arena, {});
      EXPECT_LE(budget.total_bytes, (ram_of(device) - arena) / 2);
      const uint64_t data = device.memory(device.data_memory).size_bytes;
      ASSERT_EQ(device.fast_rodata_memories.front(), device.data_memory);
      EXPECT_LE(budget.constant_bytes.front(), (data - arena) / 2);
      EXPECT_GE(data - arena - budget.constant_bytes.front(), kSmallApplicationBytes);
      EXPECT_GT(budget.total_bytes, 0u);
      EXPECT_FALSE(budget.everything);
    }
  }
}

TEST(FastBudget, LittleRam_IsLeftToTheApplication) {
  const Device device = *load_device("stm32f4");
  const uint64_t data = device.memory(device.data_memory).size_bytes;
  EXPECT_LT(fast_budget(device, data - 15'000, {}).constant_bytes.front(), 5'000u);
  EXPECT_EQ(fast_budget(device, data - 10'000, {}).constant_bytes.front(), 0u);
}

TEST(FastBudget, WhatIsAskedFor_StandsForTheDefault) {
  const Device device = *load_device("esp32c3");
  const FastBudget all = fast_budget(device, 20'000, {.fast_ram_bytes = kAllFastRam});
  EXPECT_TRUE(all.everything);
  EXPECT_EQ(all.code_bytes, device.memory(device.fast_code_memory).size_bytes);
  EXPECT_GT(all.constant_bytes.front(), 150'000u);
  EXPECT_EQ(fast_budget(device, 20'000, {.fast_ram_bytes = 4096}).total_bytes, 4096u);
  EXPECT_EQ(fast_budget(device, 20'000, {.fast_ram_bytes = 0}).total_bytes, 0u);
}

TEST(FastBudget, RamAsAWhole_LeavesWhatArenaAndStackDoNotTake) {
  const Device device = *load_device("esp32c3");
  EXPECT_EQ(fast_budget(device, 20'000, {.ram_bytes = 50'000}, 200).total_bytes, 29'800u);
  EXPECT_EQ(fast_budget(device, 20'000, {.ram_bytes = 19'000}, 200).total_bytes, 0u);
  const MemoryLimits both{.ram_bytes = 50'000, .fast_ram_bytes = 1'000};
  EXPECT_EQ(fast_budget(device, 20'000, both, 200).total_bytes, 1'000u);
}

TEST(ChooseFast, MostCyclesAByteFirst_AndNothingThatSavesNone) {
  const std::vector<FastCandidate> candidates = {
      {false, 1000, 1000}, {true, 100, 900}, {false, 500, 2000}, {true, 10, 0}};
  const auto chosen = [&](const FastBudget& budget) { return choose_fast(candidates, budget); };
  EXPECT_EQ(chosen({5000, {5000}, 10000}), (std::vector<FastHome>{1, 1, 1, 0}));
  EXPECT_EQ(chosen({5000, {5000}, 600}), (std::vector<FastHome>{0, 1, 1, 0}));
  EXPECT_EQ(chosen({50, {5000}, 600}), (std::vector<FastHome>{0, 0, 1, 0}));
}

TEST(ChooseFast, WhatFindsNoRoomInThePreferredMemory_GoesToTheNext) {
  const std::vector<FastCandidate> candidates = {
      {false, 1000, 1000}, {true, 100, 900}, {false, 500, 2000}, {false, 10, 0}};
  EXPECT_EQ(choose_fast(candidates, {5000, {600, 5000}, 10000}),
            (std::vector<FastHome>{2, 1, 1, 0}));
  EXPECT_EQ(choose_fast(candidates, {5000, {600, 900}, 10000}),
            (std::vector<FastHome>{0, 1, 1, 0}));
  EXPECT_EQ(choose_fast(candidates, {5000, {600, 5000}, 10000, true}),
            (std::vector<FastHome>{2, 1, 1, 1}));
}

TEST(ChooseFast, LargePartsGoFirst_WhereThatSavesMore) {
  const std::vector<FastCandidate> candidates = {
      {false, 80, 800}, {false, 80, 800}, {false, 15, 151}, {false, 15, 151}, {false, 15, 151}};
  EXPECT_EQ(choose_fast(candidates, {0, {96, 96}, 1000}), (std::vector<FastHome>{1, 2, 1, 2, 0}));
  EXPECT_EQ(choose_fast(candidates, {0, {45}, 1000}), (std::vector<FastHome>{0, 0, 1, 1, 1}));
}

TEST(ChooseFast, TheTightestRoomIsTaken_WhereThatSavesMore) {
  const std::vector<FastCandidate> candidates = {
      {false, 90, 910}, {false, 80, 800}, {false, 70, 700}};
  EXPECT_EQ(choose_fast(candidates, {0, {155, 95}, 1000}), (std::vector<FastHome>{2, 1, 1}));
  EXPECT_EQ(choose_fast(candidates, {0, {245, 95}, 1000}), (std::vector<FastHome>{1, 1, 1}));
}

TEST(ChooseFast, CodeAndWeights_ShareTheRoomOfOneMemory) {
  const std::vector<FastCandidate> candidates = {
      {true, 60, 900}, {false, 50, 500}, {false, 40, 300}, {true, 10, 40}};
  const FastBudget budget{
      .code_bytes = 100, .constant_bytes = {10, 100}, .total_bytes = 1000, .with_code = 1};
  EXPECT_EQ(choose_fast(candidates, budget), (std::vector<FastHome>{1, 0, 2, 0}));
}

TEST(FastBudget, OfAMemoryForCodeAndWeights_IsSaidToBeOne) {
  const Device device = *load_device("rp2040");
  const FastBudget all = fast_budget(device, 20'000, {.fast_ram_bytes = kAllFastRam});
  ASSERT_EQ(all.with_code, 1u);
  EXPECT_EQ(all.constant_bytes.at(1), all.code_bytes);
  EXPECT_FALSE(fast_budget(*load_device("esp32c3"), 0, {}).with_code.has_value());
}

TEST(ArenaAllowance, TheTighterOfArenaAndRam_IsNamed) {
  EXPECT_FALSE(arena_allowance({}).bytes.has_value());
  const ArenaAllowance arena = arena_allowance({.ram_bytes = 5000, .arena_bytes = 4000});
  EXPECT_EQ(arena.bytes, 4000u);
  EXPECT_EQ(arena.says, "--arena allows 4000");
  const ArenaAllowance ram = arena_allowance({.ram_bytes = 5000, .arena_bytes = 4900}, 200);
  EXPECT_EQ(ram.bytes, 4800u);
  EXPECT_EQ(ram.says, "--ram allows 5000, 200 of them for the stack");
}

}  // namespace
}  // namespace tinytune::test
