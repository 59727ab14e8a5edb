#include "cli/progress.h"

#include <gtest/gtest.h>

#include "cli/sparkline.h"
#include "cli/table.h"
#include "cli/units.h"

namespace tinytune {
namespace {

TEST(Progress, EverythingKnown_IsOneLine) {
  TuneProgress p;
  p.trials = 128;
  p.trials_total = 256;
  p.measured = 100;
  p.valid = 127;
  p.trials_per_second = 9.84;
  p.best_cycles = 1'600'000;
  p.clock_hz = 160'000'000;
  p.seconds_left = 13;
  EXPECT_EQ(progress_text(p), "128/256 trials  best 10.00 ms  9.8 trials/s  99% valid  ETA 0:13");
}

TEST(Progress, WithoutClockOrBest_SaysCyclesOrNothing) {
  TuneProgress p;
  p.trials = 1;
  p.trials_total = 2;
  p.valid = 1;
  EXPECT_EQ(progress_text(p), "1/2 trials  best -  100% valid");
  p.best_cycles = 1234567;
  EXPECT_EQ(progress_text(p), "1/2 trials  best 1,234,567 cycles  100% valid");
}

TEST(Progress, LatestTask_IsToldWithItsGain) {
  TuneProgress p;
  p.trials = 60;
  p.trials_total = 256;
  p.valid = 60;
  p.task = TaskProgress{2, "conv2d 1x1 64->64 @25x5", 52, 1'400'000, 1'260'000};
  EXPECT_NE(
      progress_text(p).find("task 2 conv2d 1x1 64->64 @25x5: 52 trials, best 1.26 M cycles, -10 %"),
      std::string::npos)
      << progress_text(p);
}

TEST(Progress, GainThatRoundsToNothing_HasNoSign) {
  TuneProgress p;
  p.task = TaskProgress{0, "dense 4->4", 3, 100'000, 99'900};
  EXPECT_NE(progress_text(p).find("best 99.9 k cycles, as the default"), std::string::npos)
      << progress_text(p);
}

TEST(Progress, NarrowTerminal_CutsBetweenCharacters) {
  EXPECT_EQ(cut_to_width("1/2 trials", 0), "1/2 trials");
  EXPECT_EQ(cut_to_width("1/2 trials", 11), "1/2 trials");
  EXPECT_EQ(cut_to_width("1/2 trials", 10), "1/2 trial");
  EXPECT_EQ(cut_to_width("▁▂▃", 3), "▁▂");
  EXPECT_EQ(cut_to_width("▁▂▃", 4), "▁▂▃");
}

TEST(Wrapped, LinesBreakAtSpaces_AndLongWordsStayWhole) {
  EXPECT_EQ(wrapped("a bc def g", 4), (std::vector<std::string>{"a bc", "def", "g"}));
  EXPECT_EQ(wrapped("abcdef g", 3), (std::vector<std::string>{"abcdef", "g"}));
  EXPECT_EQ(wrapped("", 3), std::vector<std::string>{""});
}

TEST(Sparkline, Bars_GoFromFirstToLast) {
  const double falling[] = {8, 7, 4, 1};
  EXPECT_EQ(sparkline(falling, 10), "█▇▄▁");
  EXPECT_EQ(sparkline(falling, 2), "█▁");
  const double flat[] = {3, 3, 3};
  EXPECT_EQ(sparkline(flat, 10), "▁▁▁");
  EXPECT_EQ(sparkline(std::span<const double>(falling, 1), 10), "");
}

TEST(Units, NumbersAreGroupedAndTimesCarryOver) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(12345678), "12,345,678");
  EXPECT_EQ(clock_text(59.6), "1:00");
  EXPECT_EQ(clock_text(3723), "1:02:03");
  EXPECT_EQ(speedup_text(300, 200), "1.50x");
  EXPECT_EQ(speedup_text(std::nullopt, 200), "-");
  EXPECT_EQ(speedup_text(300, 0), "-");
}

}  // namespace
}  // namespace tinytune
