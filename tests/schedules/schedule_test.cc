#include "schedules/schedule.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace tinytune {
namespace {

const Schedule kSchedule("conv2d_nhwc", 1, {{"oc", "4"}, {"order", "pixels_outer"}});

TEST(ScheduleText, RoundTrip_KeepsOrderAndVersion) {
  EXPECT_EQ(to_text(kSchedule), "conv2d_nhwc/1 oc=4 order=pixels_outer");
  EXPECT_EQ(parse_schedule(to_text(kSchedule)).value(), kSchedule);
  const Schedule bare("dense", 12, {});
  EXPECT_EQ(to_text(bare), "dense/12");
  EXPECT_EQ(parse_schedule("dense/12").value(), bare);
}

TEST(ScheduleText, ValueWithEqualsSign_KeepsIt) {
  EXPECT_EQ(parse_schedule("t/1 a=b=c").value().get("a"), "b=c");
}

TEST(ScheduleText, Malformed_IsRefusedWithTheLine) {
  for (const char* bad : {"", " ", "t", "/1", "t/", "t/x", "t/1x", "t/99999999999", "t/1 ",
                          "t/1  a=1", " t/1", "t/1 a", "t/1 =1", "t/1 a="}) {
    const auto r = parse_schedule(bad);
    ASSERT_FALSE(r.has_value()) << "'" << bad << "'";
    EXPECT_EQ(r.error().code(), ErrorCode::kInvalidInput);
    EXPECT_EQ(r.error().message(), "not a schedule: '" + std::string(bad) + "'");
  }
}

TEST(ScheduleText, RandomAndDamagedBytes_NeverCrash) {
  Rng rng(13);
  size_t parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = to_text(kSchedule);
    if (i % 3 == 0) {
      text.resize(rng.below(60));
      for (char& c : text) c = "ab/1 =\0\xff"[rng.below(8)];
    } else {
      text[rng.below(text.size())] = static_cast<char>(rng.below(256));
    }
    const auto r = parse_schedule(text);
    if (!r.has_value()) continue;
    ++parsed;
    EXPECT_EQ(parse_schedule(to_text(*r)).value(), *r);
  }
  EXPECT_GT(parsed, 0u);
}

TEST(Schedule, Knobs_AreReadByName) {
  EXPECT_EQ(kSchedule.get_int("oc"), 4);
  EXPECT_EQ(kSchedule.get("order"), "pixels_outer");
  EXPECT_TRUE(kSchedule.has("oc"));
  EXPECT_FALSE(kSchedule.has("px"));
}

TEST(ScheduleDeathTest, MissingKnobOrNonNumber_IsOurBug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(kSchedule.get("px"), "has no knob px");
  EXPECT_DEATH(kSchedule.get_int("order"), "not a number: pixels_outer");
}

}  // namespace
}  // namespace tinytune
