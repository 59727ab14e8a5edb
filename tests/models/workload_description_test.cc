// Workload descriptions as users write them, and the constants generated for them.
#include "models/workload_description.h"

#include <gtest/gtest.h>

#include "models/generated_constants.h"
#include "schedules/weight_facts.h"

namespace tinytune {
namespace {

std::string line_of(const std::string& text) {
  const auto described = describe_workload(text);
  return described ? to_text(described->workload) : described.error().message();
}

TEST(WorkloadDescription, WhatIsLeftOut_Follows) {
  EXPECT_EQ(line_of("conv2d 1x1 64->64 @25x5 s1 same"),
            "conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 "
            "act-128,127 lane1 long");
  EXPECT_EQ(line_of("conv2d 10x4 1->64 in49x10 /2x2 zp83,-128"),
            "conv2d_s8 nhwc n1 in49x10x1 out25x5x64 k10x4 s2x2 d1x1 p4,1 g1 m1 zp83,-128 "
            "act-128,127 lane1 long");
  EXPECT_EQ(line_of("depthwise 3x3 8->16 in9 valid zp0,3 relu nchw"),
            "depthwise_conv2d_s8 nchw n1 in9x9x8 out7x7x16 k3x3 s1x1 d1x1 p0,0 g1 m2 zp0,3 "
            "act3,127 lane1 long");
  EXPECT_EQ(line_of("dense 256->10 n2"),
            "dense_s8 nhwc n2 in1x1x256 out1x1x10 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 "
            "act-128,127 lane1 long");
  EXPECT_EQ(line_of("conv2d 5x5 8->8 in16 p2,2 g2 s2"),
            "conv2d_s8 nhwc n1 in16x16x8 out8x8x8 k5x5 s2x2 d1x1 p2,2 g2 m1 zp-128,-128 "
            "act-128,127 lane1 long");
}

TEST(WorkloadDescription, OutputAlone_StandsForTheInputThatPadsLeast) {
  EXPECT_NE(line_of("conv2d 3x3 8->8 @12 s2").find("in24x24x8 out12x12x8"), std::string::npos);
  EXPECT_NE(line_of("conv2d 3x3 8->8 @12 s2 valid").find("in25x25x8 out12x12x8"),
            std::string::npos);
}

TEST(WorkloadDescription, LineOfARecord_IsOneThatStatesItsFacts) {
  const std::string line =
      "conv2d_s8 nhwc n1 in25x5x64 out25x5x64 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 "
      "lane2 fused";
  const auto described = describe_workload(line);
  ASSERT_TRUE(described) << described.error().message();
  EXPECT_TRUE(described->states_facts);
  EXPECT_EQ(to_text(described->workload), line);
  EXPECT_FALSE(describe_workload("dense 8->8")->states_facts);
  EXPECT_TRUE(describe_workload("dense 8->8 lane2")->states_facts);
}

TEST(WorkloadDescription, NameForPeople_IsADescription) {
  for (const char* text : {"conv2d 3x3 16->32 @12x12 /2x2", "depthwise 3x3 8->8 @5x7"}) {
    const auto described = describe_workload(text);
    ASSERT_TRUE(described) << described.error().message();
    EXPECT_EQ(short_name(described->workload), text);
  }
}

TEST(WorkloadDescription, NonsenseIsRefusedInOneLineThatNamesIt) {
  const std::pair<const char*, const char*> refusals[] = {
      {"", "no operator"},
      {"svdf 3x3", "svdf"},
      {"conv2d 3x3 16->32", "how large"},
      {"conv2d 3x3 in24", "channels"},
      {"conv2d 3x3 16->32 in24 purple", "purple"},
      {"conv2d 3x3 16->32 in24 @25", "not 25"},
      {"conv2d 30x30 16->32 in24 valid", "height"},
      {"conv2d 3x3 16->32 in24 s0", "stride"},
      {"conv2d 3x3 16->32 in24 g3", "groups"},
      {"conv2d 3x3 16->32 in0", "height of 0"},
      {"conv2d 3x3 16->32 in24 zp300,0", "300"},
      {"depthwise 3x3 16->24 in24", "multiple"},
      {"dense 16->24 in24", "dense"},
      {"conv2d 3x3 16->32 in99999999999", "in99999999999"},
      {"conv2d 3x3 16000->32000 in9999", "2^31"}};
  for (const auto& [text, said] : refusals) {
    const auto described = describe_workload(text);
    ASSERT_FALSE(described) << text;
    EXPECT_EQ(described.error().code(), ErrorCode::kInvalidInput);
    EXPECT_NE(described.error().message().find(said), std::string::npos)
        << described.error().message();
  }
}

TEST(GeneratedConstants, StatedFacts_HoldOfThem) {
  for (const char* facts : {"lane2 fused", "lane8 short", "lane64 shifted", "lane1 long"}) {
    const auto described =
        describe_workload(std::string("conv2d 3x3 16->8 in8 zp-128,-128 ") + facts);
    ASSERT_TRUE(described) << described.error().message();
    const auto data = generate_constants_with_facts(described->workload, 7);
    ASSERT_TRUE(data) << facts << ": " << data.error().message();
    EXPECT_TRUE(facts_hold(described->workload, *data)) << facts;
  }
}

TEST(GeneratedConstants, WhatIsProved_Holds) {
  for (const char* text : {"conv2d 3x3 16->8 in8", "dense 64->10", "depthwise 3x3 8->8 @5 zp1,2"}) {
    Workload workload = describe_workload(text)->workload;
    const LayerData data = generate_constants(workload, 3);
    workload.facts = prove_facts(workload, data);
    EXPECT_TRUE(facts_hold(workload, data)) << text;
    workload.facts.lane_group *= 64;  // more than any weights of this size permit
    EXPECT_FALSE(facts_hold(workload, data)) << text;
    EXPECT_EQ(data, generate_constants(workload, 3));
    EXPECT_NE(data, generate_constants(workload, 4));
  }
}

}  // namespace
}  // namespace tinytune
