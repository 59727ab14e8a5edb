// Cycles of a core with a vector unit, against those of Vicuna's RTL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulator/pointwise_rvv.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

uint64_t cycles_of(const Device& device, const std::string& code) {
  Program program(device, code);
  const uint32_t data = program.data();
  const CallReport report = program.call({data, data + 0x4000, data + 0x8000, data + 0xC000, 5});
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  return report.counts.cycles;
}

/// Cycles per repetition of `lines` in a long run.
double each(const std::string& type, const std::string& lines, const Device& device) {
  constexpr int kTurns = 32;
  std::string some;
  for (int i = 0; i < kTurns; ++i) some += lines + "\n";
  const auto run = [&](const std::string& body) {
    return static_cast<double>(cycles_of(
        device, ".option norvc\nf: vsetvli t0,zero," + type + ",ta,ma\n" + body +
                    "vse8.v v0,(a1)\nvse8.v v8,(a1)\nvse8.v v16,(a1)\nlb t1,0(a1)\nret\n"));
  };
  return (run(some + some) - run(some)) / kTurns;
}

double each(const std::string& type, const std::string& lines) {
  return each(type, lines, *load_device("vicuna"));
}

TEST(VectorTiming, PointwiseKernels_AreWithinFivePercentOfTheRtl) {
  for (const PointwiseRvv& kernel : pointwise_rvv()) {
    const auto cycles = static_cast<double>(kernel.cycles());
    EXPECT_NEAR(cycles / static_cast<double>(kernel.rtl_cycles), 1, 0.05)
        << kernel.name << ": " << cycles << ", RTL " << kernel.rtl_cycles;
  }
}

TEST(VectorTiming, RunsOfOneInstruction_AreWhatTheRtlTakes) {
  EXPECT_NEAR(each("e8,m1", "vle8.v v0,(a0)"), 11, 0.01);
  EXPECT_NEAR(each("e8,m4", "vle8.v v0,(a0)"), 17, 0.01);
  EXPECT_NEAR(each("e8,m1", "vl8re8.v v0,(a0)"), 25, 0.01);
  EXPECT_NEAR(each("e8,m1", "vsetvli zero,zero,e8,m1,ta,ma"), 2, 0.01);
  EXPECT_NEAR(each("e8,m1", "lb t1,0(a0)"), 2.25, 0.01);
  EXPECT_NEAR(each("e8,m1", "addi t1,t1,1"), 1.375, 0.01);
  EXPECT_NEAR(each("e16,m1", "lb t1,0(a0)\nvwmacc.vx v8,t1,v0\nlb t2,1(a0)\nvwmacc.vx v16,t2,v0"),
              13, 0.01);
  EXPECT_NEAR(each("e16,m2", "lb t1,0(a0)\nvwmacc.vx v8,t1,v0\nlb t2,1(a0)\nvwmacc.vx v16,t2,v0"),
              17, 0.01);
}

TEST(VectorTiming, ChainsOfVectorsAlone_AreWithinSevenPercentOfTheRtl) {
  EXPECT_NEAR(each("e8,m1", "vadd.vv v0,v0,v0") / 12.75, 1, 0.07);
  EXPECT_NEAR(each("e32,m4", "vadd.vv v8,v0,v4") / 18.75, 1, 0.07);
  EXPECT_NEAR(each("e32,m2", "vsmul.vv v4,v0,v2") / 13.75, 1, 0.07);
  EXPECT_NEAR(each("e16,m2", "vwadd.wv v8,v8,v0") / 18.75, 1, 0.07);
  EXPECT_NEAR(each("e16,m1", "vnclip.wv v0,v8,v4") / 14.75, 1, 0.07);
  EXPECT_NEAR(each("e32,m4", "vredsum.vs v8,v0,v8") / 27.75, 1, 0.07);
  EXPECT_NEAR(each("e16,m1", "vwredsum.vs v8,v0,v8") / 19.75, 1, 0.07);
}

TEST(VectorTiming, ConfigurationOfAnEarlierBlock_HoldsInTheNext) {
  const auto of = [](const std::string& lmul) {
    return cycles_of(*load_device("vicuna"),
                     ".option norvc\nf: vsetvli t0,zero,e8," + lmul +
                         ",ta,ma\nj 1f\n1: vadd.vv v8,v8,v8\nvadd.vv v8,v8,v8\n"
                         "vse8.v v8,(a0)\nlb t1,0(a0)\nret\n");
  };
  EXPECT_EQ(of("m4") - of("m1"), 3 * (8 - 2));
}

TEST(VectorTiming, LongerRegisters_TakeLongerInTheSamePipes) {
  Device device = *load_device("vicuna");
  const std::string line = "vadd.vv v8,v8,v8";
  const double of_128 = each("e8,m2", line, device);
  device.target.vector_bits = 512;
  EXPECT_EQ(each("e8,m2", line, device) - of_128, 2 * (8 - 2));
}

TEST(VectorTiming, CoreGoesOnWhileTheUnitWorks) {
  const double chain = each("e8,m4", "vadd.vv v8,v8,v8");
  EXPECT_EQ(each("e8,m4", "vadd.vv v8,v8,v8\naddi t1,t1,1\naddi t2,t2,1\naddi t1,t1,1"), chain);
  EXPECT_GT(each("e8,m4", "vadd.vv v8,v8,v8\nvmv.x.s t1,v8"), chain);
}

TEST(VectorTiming, LoadOverWhatAProductHasYetToRead_Waits) {
  const auto into = [](const std::string& reg) {
    return cycles_of(
        *load_device("vicuna"),
        ".option norvc\nf: vsetvli t0,zero,e16,m4,ta,ma\nvwmacc.vx v8,a2,v0\nvl1re8.v " + reg +
            ",(a0)\nret\n");
  };
  EXPECT_GE(into("v3"), into("v4") + 12);
}

TEST(VectorTiming, LoadsFromEveryAddress_HoldTheUnitForEachElement) {
  const double unit = each("e32,m2", "vle32.v v8,(a0)");
  EXPECT_EQ(each("e32,m2", "vlse32.v v8,(a0),zero"), unit - 4 + 8);
}

}  // namespace
}  // namespace tinytune
