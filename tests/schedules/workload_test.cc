#include "schedules/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/rng.h"

namespace tinytune {
namespace {

constexpr const char* kLine =
    "conv2d_s8 nhwc n1 in49x10x1 out25x5x64 k10x4 s2x2 d1x1 p4,1 g1 m1 zp83,-128 act-128,127 "
    "lane1 short";

Workload first_convolution() { return parse_workload(kLine).value(); }

TEST(WorkloadText, ExampleLine_HasItsFields) {
  const Workload w = first_convolution();
  EXPECT_EQ(w.op, OpKind::kConv2d);
  EXPECT_EQ(w.in_h, 49);
  EXPECT_EQ(w.out_c, 64);
  EXPECT_EQ(w.pad_top, 4);
  EXPECT_EQ(w.input_zero_point, 83);
  EXPECT_EQ(w.macs(), 25 * 5 * 64 * 10 * 4);
  EXPECT_EQ(w.weight_bytes(), 64 * 40);
  EXPECT_EQ(to_text(w), kLine);
}

TEST(WorkloadText, EveryField_SurvivesTheRoundTrip) {
  Rng rng(11);
  for (int i = 0; i < 500; ++i) {
    Workload w;
    const auto size = [&] { return static_cast<int>(1 + rng.below(40)); };
    w.op = std::array{OpKind::kConv2d, OpKind::kDepthwiseConv2d, OpKind::kDense}[rng.below(3)];
    w.layout = rng.below(2) == 0 ? Layout::kNhwc : Layout::kNchw;
    w.batch = size(), w.in_h = size(), w.in_w = size(), w.out_h = size(), w.out_w = size();
    w.kernel_h = size(), w.kernel_w = size(), w.stride_h = size(), w.stride_w = size();
    w.dilation_h = size(), w.dilation_w = size(), w.pad_top = size() - 1, w.pad_left = size() - 1;
    if (w.op == OpKind::kConv2d) w.groups = size();
    if (w.op == OpKind::kDepthwiseConv2d) w.depth_multiplier = size();
    w.in_c = w.groups * size();
    w.out_c = w.op == OpKind::kDepthwiseConv2d ? w.in_c * w.depth_multiplier : w.groups * size();
    w.input_zero_point = static_cast<int>(rng.below(256)) - 128;
    w.output_zero_point = static_cast<int>(rng.below(256)) - 128;
    w.activation_min = static_cast<int>(rng.below(128)) - 128;
    w.facts.lane_group = 1 << rng.below(7);
    w.facts.requantise =
        std::array{Requantise::kLong, Requantise::kShifted, Requantise::kShort, Requantise::kFused,
                   Requantise::kStepped}[rng.below(5)];
    w.rounding = rng.below(2) == 0 ? Rounding::kTwice : Rounding::kHalfToEven;
    const Result<Workload> back = parse_workload(to_text(w));
    ASSERT_TRUE(back.has_value()) << to_text(w) << ": " << back.error().message();
    EXPECT_EQ(*back, w) << to_text(w);
  }
}

TEST(WorkloadText, AnyOtherSpelling_IsRefused) {
  const std::string good = kLine;
  const std::pair<const char*, const char*> edits[] = {
      {"conv2d_s8", "conv3d_s8"}, {"nhwc", "nwhc"},    {"n1 ", "n01 "},
      {"in49x10x1", "in49x10"},   {"k10x4", "k10 x4"}, {"lane1", "lane+1"},
      {"short", "shorter"},       {" g1", "  g1"},     {"zp83", "zp99999999999"}};
  for (const auto& [from, to] : edits) {
    std::string bad = good;
    bad.replace(bad.find(from), std::string(from).size(), to);
    const auto r = parse_workload(bad);
    ASSERT_FALSE(r.has_value()) << bad;
    EXPECT_EQ(r.error().code(), ErrorCode::kInvalidInput);
  }
  EXPECT_FALSE(parse_workload(good + " ").has_value());
  EXPECT_FALSE(parse_workload("").has_value());
}

TEST(WorkloadText, RandomAndDamagedBytes_AreRefusedOrParseToThemselves) {
  Rng rng(12);
  for (int i = 0; i < 20000; ++i) {
    std::string text = kLine;
    if (i % 4 == 0) {
      text.resize(rng.below(200));
      for (char& c : text) c = static_cast<char>(rng.below(256));
    } else {
      for (uint64_t e = 0; e <= rng.below(4); ++e)
        text[rng.below(text.size())] = static_cast<char>(rng.below(256));
      if (i % 4 == 1) text.resize(rng.below(text.size()));
    }
    const auto r = parse_workload(text);
    if (!r.has_value()) continue;
    EXPECT_EQ(to_text(*r), text) << "iteration " << i;
  }
}

TEST(WorkloadValidate, ImpossibleSizes_AreNamed) {
  const auto refused = [](auto change) {
    Workload w = first_convolution();
    change(w);
    const Status s = validate(w);
    return s.has_value() ? std::string() : s.error().message();
  };
  EXPECT_THAT(refused([](Workload& w) { w.stride_h = 0; }), ::testing::HasSubstr("stride"));
  EXPECT_THAT(refused([](Workload& w) { w.pad_top = -1; }), ::testing::HasSubstr("padding"));
  EXPECT_THAT(refused([](Workload& w) { w.groups = 3; }), ::testing::HasSubstr("groups"));
  EXPECT_THAT(refused([](Workload& w) { w.activation_min = 128; }), ::testing::HasSubstr("clamp"));
  EXPECT_THAT(refused([](Workload& w) { w.in_h = 1 << 20, w.in_w = 1 << 20; }),
              ::testing::HasSubstr("2^31"));
  EXPECT_THAT(refused([](Workload& w) { w.op = OpKind::kDepthwiseConv2d; }),
              ::testing::HasSubstr("multiplier"));
  EXPECT_EQ(refused([](Workload&) {}), "");
}

TEST(Workload, DepthwiseReduction_CountsTapsOnly) {
  Workload w;
  w.op = OpKind::kDepthwiseConv2d;
  w.in_c = w.out_c = 64;
  w.kernel_h = w.kernel_w = 3;
  w.out_h = 25, w.out_w = 5;
  EXPECT_EQ(w.reduction(), 9);
  EXPECT_EQ(w.weight_bytes(), 9 * 64);
  EXPECT_EQ(w.macs(), 25 * 5 * 64 * 9);
}

}  // namespace
}  // namespace tinytune
