#include "cli/progress.h"

#include <gtest/gtest.h>

#include "cli/sparkline.h"
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
  p.task = TaskProgress{2, 4, "conv2d 1x1 64->64 @25x5", 52, 1'400'000, 1'260'000};
  EXPECT_NE(progress_text(p).find("task 2/4 conv2d 1x1 64->64 @25x5 52 trials best 1.26 M -10 %"),
            std::string::npos)
      << progress_text(p);
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
