// A lower bound on the cycles of any kernel: a result below it, such as that of a counter that
// stands still, cannot be true.
#include "templates/least_cycles.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

uint64_t least(const std::string& device, const std::string& workload) {
  return least_cycles(parse_workload(workload).value(), load_device(device).value());
}

TEST(LeastCycles, FollowsFromTheProductsAndTheCore) {
  const std::string dense =
      "dense_s8 nhwc n1 in1x1x256 out1x1x16 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,0 act-128,127 lane1 long";
  EXPECT_EQ(least("esp32c3", dense), 4096u / 4);
  EXPECT_EQ(least("stm32f4", dense), 4096u / 8);
  EXPECT_EQ(least("host", dense), 1u) << "of a core that only its compiler knows";
}

TEST(LeastCycles, ProductsWithPaddingAreNone) {
  const std::string inside =
      "depthwise_conv2d_s8 nhwc n1 in3x3x8 out3x3x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp0,0 act-128,127 "
      "lane1 long";
  // The middle position of nine has nine taps inside, those at the sides six, corners four.
  EXPECT_EQ(least("esp32c3", inside), 8u * (9 + 4 * 6 + 4 * 4) / 4);
}

}  // namespace
}  // namespace tinytune
