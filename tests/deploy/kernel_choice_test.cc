// Which schedules are chosen when memory is short.
#include "deploy/selection/kernel_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tinytune::test {
namespace {

KernelOption option(uint64_t cycles, uint32_t scratch, uint64_t flash) {
  return {Schedule("any", 1, {}), cycles, scratch, flash};
}

/// A planner without gaps: the arena is as large as the tightest task needs.
ArenaOf tightest(const std::vector<TaskOptions>& tasks) {
  return [&tasks](std::span<const uint32_t> scratch) {
    uint32_t most = 0;
    for (size_t t = 0; t < tasks.size(); ++t)
      most = std::max(most, tasks[t].live_bytes + scratch[t]);
    return most;
  };
}

std::vector<TaskOptions> two_tasks() {
  return {{{option(100, 500, 4000), option(150, 200, 1000), option(300, 0, 900)}, 1000},
          {{option(100, 500, 4000), option(190, 0, 3000)}, 200}};
}

TEST(KernelChoice, WithoutNeed_TheFastestStay) {
  const auto tasks = two_tasks();
  const auto choice = choose_kernels(tasks, {1500, 8000}, 0, tightest(tasks));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->chosen, (std::vector<size_t>{0, 0}));
  EXPECT_EQ(choice->arena_bytes, 1500U);
  EXPECT_EQ(choice->flash_bytes, 8000U);
}

TEST(KernelChoice, ShortOfRam_OnlyTheTightLayerGivesWay) {
  const auto tasks = two_tasks();
  const auto choice = choose_kernels(tasks, {1499, {}}, 0, tightest(tasks));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->chosen, (std::vector<size_t>{1, 0}));
  EXPECT_EQ(choice->arena_bytes, 1200U);
}

TEST(KernelChoice, ShortOfFlash_TheCheapestBytesGoFirst) {
  const auto tasks = two_tasks();
  // The first task gives up 3000 bytes for 50 cycles, the second one 1000 bytes for 90.
  const auto choice = choose_kernels(tasks, {{}, 7000}, 0, tightest(tasks));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->chosen, (std::vector<size_t>{1, 0}));
  EXPECT_EQ(choice->flash_bytes, 5000U);
}

using Points = std::vector<std::pair<uint64_t, uint64_t>>;

Points front_of(const std::vector<TaskOptions>& tasks, const KernelLimits& limits) {
  Points points;
  for (const FlashPoint& p : flash_front(tasks, limits, tightest(tasks)))
    points.emplace_back(p.flash_bytes, p.cycles);
  return points;
}

TEST(FlashFront, HasEveryChoiceThatNoneBeats) {
  EXPECT_EQ(front_of(two_tasks(), {}),
            (Points{{3900, 490}, {4000, 340}, {5000, 250}, {8000, 200}}));
}

TEST(FlashFront, LeavesOutWhatTheArenaDoesNotHold) {
  EXPECT_EQ(front_of(two_tasks(), {1499, {}}), (Points{{3900, 490}, {4000, 340}, {5000, 250}}));
  EXPECT_TRUE(front_of(two_tasks(), {10, {}}).empty());
}

TEST(KernelChoice, GreedyWouldLeaveFlashUnused_TheFastestThatFitsIsFound) {
  // Bytes are cheapest in the first task, but saving them there leaves 3000 bytes unused; the
  // second task's cost more each, but saving them is just enough.
  const std::vector<TaskOptions> tasks = {{{option(100, 0, 5000), option(140, 0, 1000)}, 0},
                                          {{option(100, 0, 2000), option(120, 0, 1000)}, 0}};
  const auto choice = choose_kernels(tasks, {{}, 6000}, 0, tightest(tasks));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->chosen, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(choice->flash_bytes, 6000U);
}

KernelOption with_constants(uint64_t cycles, uint64_t constants, uint64_t waits) {
  KernelOption made = option(cycles, 0, constants);
  made.constant_bytes = made.largest_constant_bytes = constants;
  made.wait_cycles = waits;
  return made;
}

TEST(KernelChoice, ConstantsThatWouldWait_LoseToFewerThatFindRoom) {
  const std::vector<TaskOptions> tasks = {
      {{with_constants(100, 4000, 800), with_constants(150, 2000, 400)}, 0}};
  const auto chosen = [&](uint64_t copies) {
    KernelLimits limits;
    limits.fast_ram_bytes = copies;
    const auto choice = choose_kernels(tasks, limits, 0, tightest(tasks));
    return choice ? choice->chosen[0] : 99;
  };
  EXPECT_EQ(chosen(4000), 0u);
  EXPECT_EQ(chosen(3999), 1u);
  EXPECT_EQ(chosen(0), 1u);  // 550 cycles against 900
}

TEST(KernelChoice, RoomForCopies_GoesToTheTaskThatWaitsMost) {
  // Both would be fastest with 3000 bytes, but there is room for one besides the other's 1000.
  const std::vector<TaskOptions> tasks = {
      {{with_constants(100, 3000, 500), with_constants(140, 1000, 170)}, 0},
      {{with_constants(100, 3000, 900), with_constants(190, 1000, 300)}, 0}};
  KernelLimits limits;
  limits.fast_ram_bytes = 4000;
  const auto choice = choose_kernels(tasks, limits, 0, tightest(tasks));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->chosen, (std::vector<size_t>{1, 0}));
  limits.flash_bytes = 4000;
  EXPECT_EQ(choose_kernels(tasks, limits, 0, tightest(tasks))->chosen, (std::vector<size_t>{1, 0}));
  limits.flash_bytes = 2000;
  EXPECT_EQ(choose_kernels(tasks, limits, 0, tightest(tasks))->chosen, (std::vector<size_t>{1, 1}));
}

TEST(KernelChoice, ConstantsThatNoMemoryTakesWhole_CountAsWaiting) {
  const std::vector<TaskOptions> tasks = {
      {{with_constants(100, 4000, 800), with_constants(150, 2000, 400)}, 0}};
  KernelLimits limits;
  limits.fast_ram_bytes = 5000;
  limits.largest_copy_bytes = 3000;  // each of two memories holds so much
  EXPECT_EQ(choose_kernels(tasks, limits, 0, tightest(tasks))->chosen[0], 1u);
  limits.largest_copy_bytes = 4000;
  EXPECT_EQ(choose_kernels(tasks, limits, 0, tightest(tasks))->chosen[0], 0u);
}

TEST(KernelChoice, StripsOfOneLayer_PackTheirConstantsAlike) {
  // The second strip shares the first one's constants if both are packed alike.
  const auto strip = [](uint64_t constants) {
    TaskOptions task{{with_constants(100, 4000, 800), with_constants(120, 1000, 400)}, 0};
    for (KernelOption& option : task.options) {
      option.largest_constant_bytes = option.constant_bytes;
      option.constant_bytes *= constants;
      option.flash_bytes *= constants;
    }
    task.strips_of = {7};
    return task;
  };
  const std::vector<TaskOptions> tasks = {
      strip(1), {{with_constants(100, 3000, 500)}, 0}, strip(0)};
  KernelLimits limits;
  limits.fast_ram_bytes = 4000;
  EXPECT_EQ(choose_kernels(tasks, limits, 0, tightest(tasks))->chosen,
            (std::vector<size_t>{1, 0, 1}));
  limits.fast_ram_bytes = 7000;
  EXPECT_EQ(choose_kernels(tasks, limits, 0, tightest(tasks))->chosen,
            (std::vector<size_t>{0, 0, 0}));
}

TEST(KernelChoice, KernelsOfFewerBytes_MayTakeTheScratchThatTensorsLeave) {
  // The fastest takes no scratch; its replacement takes some, which the tensors leave free.
  KernelOption fastest = with_constants(100, 4000, 800), smaller = with_constants(150, 2000, 400);
  smaller.scratch_bytes = 500;
  const std::vector<TaskOptions> tasks = {{{fastest, smaller}, 1000}};
  KernelLimits limits;
  limits.fast_ram_bytes = 3000;
  limits.arena_bytes = 1500;
  EXPECT_EQ(choose_kernels(tasks, limits, 0, tightest(tasks))->chosen[0], 1u);
  limits.arena_bytes = 1499;
  EXPECT_EQ(choose_kernels(tasks, limits, 0, tightest(tasks))->chosen[0], 0u);
}

TEST(KernelChoice, OtherFlashCounts) {
  const auto tasks = two_tasks();
  const auto choice = choose_kernels(tasks, {{}, 7000}, 2500, tightest(tasks));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->chosen, (std::vector<size_t>{1, 1}));
  EXPECT_EQ(choice->flash_bytes, 6500U);
}

TEST(KernelChoice, SmallerCodeThatBreaksRam_IsNotTaken) {
  const std::vector<TaskOptions> tasks = {
      {{option(100, 0, 4000), option(110, 900, 1000), option(400, 0, 2000)}, 1000}};
  const auto choice = choose_kernels(tasks, {1500, 2500}, 0, tightest(tasks));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->chosen, (std::vector<size_t>{2}));
}

TEST(KernelChoice, GapsInThePlan_AreFilledAtLeastCost) {
  const auto tasks = two_tasks();
  // A planner that cannot overlap the two scratch buffers.
  const ArenaOf sum = [](std::span<const uint32_t> scratch) {
    return 1000 + std::accumulate(scratch.begin(), scratch.end(), 0U);
  };
  const auto choice = choose_kernels(tasks, {1700, {}}, 0, sum);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->chosen, (std::vector<size_t>{1, 0}));
}

TEST(KernelChoice, LeastScratch_IsOfAllOptions) {
  EXPECT_EQ(two_tasks()[0].least_scratch(), 0U);
  EXPECT_EQ((TaskOptions{{option(1, 70, 0), option(2, 60, 0)}, 0}.least_scratch()), 60U);
}

TEST(KernelChoice, Impossible_SaysPeakLimitAndSmallest) {
  const auto tasks = two_tasks();
  const auto ram = choose_kernels(tasks, {.arena_bytes = 999, .arena_says = "--arena allows 999"},
                                  0, tightest(tasks));
  ASSERT_FALSE(ram);
  EXPECT_EQ(ram.error().code(), ErrorCode::kFailed);
  for (const char* figure : {"1500", "999", "1000"})
    EXPECT_NE(ram.error().message().find(figure), std::string::npos) << ram.error().message();
  const auto flash = choose_kernels(tasks, {{}, 3899}, 0, tightest(tasks));
  ASSERT_FALSE(flash);
  for (const char* figure : {"8000", "3899", "3900"})
    EXPECT_NE(flash.error().message().find(figure), std::string::npos) << flash.error().message();
}

}  // namespace
}  // namespace tinytune::test
