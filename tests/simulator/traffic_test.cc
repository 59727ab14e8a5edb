// Counts of what a call moves from and to watched buffers, and of products of their values.

#include <gtest/gtest.h>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

TEST(SimulatorCall, TrafficOfBuffers_IsCountedInBytesWhenWatched) {
  Program program("esp32c3",
                  "f: addi sp,sp,-16\nsw ra,0(sp)\nlw a1,0(a0)\nlhu a2,6(a0)\nsb a1,9(a0)\n"
                  "lb a3,16(a0)\nlw ra,0(sp)\naddi sp,sp,16\nret\n");
  CallOptions options;
  options.counted = {{program.data(), 8}, {program.data() + 8, 8}};
  const auto traffic = [&] { return program.call({program.data()}, options).traffic; };
  EXPECT_EQ(traffic()[0].loaded_bytes, 0u);
  options.check_alignment = true;
  for (int call = 0; call < 2; ++call) {  // counts restart at zero
    const std::vector<Traffic> counted = traffic();
    ASSERT_EQ(counted.size(), 2u);
    EXPECT_EQ(counted[0].loaded_bytes, 6u);
    EXPECT_EQ(counted[0].stored_bytes, 0u);
    EXPECT_EQ(counted[1].loaded_bytes, 0u);
    EXPECT_EQ(counted[1].stored_bytes, 1u);
  }
}

// An instruction that accesses several words counts all of their bytes.
TEST(SimulatorCall, TrafficOfLoadMultiple_IsEveryWord) {
  Program program("stm32l4r5",
                  "f: push {r4,r5}\nldm r0,{r1,r2,r3}\nldrd r4,r5,[r0]\nstm r0,{r1,r2}\n"
                  "pop {r4,r5}\nbx lr\n");
  CallOptions options;
  options.check_alignment = true;
  options.counted = {{program.data(), 12}};
  const CallReport report = program.call({program.data()}, options);
  ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.traffic[0].loaded_bytes, 20u);
  EXPECT_EQ(report.traffic[0].stored_bytes, 8u);
}

// A product, its scaling, a product in an address, and a value that went through memory.
TEST(SimulatorCall, Factors_AreTheBuffersThatTheirValuesComeFrom) {
  Program program("esp32c3",
                  "f: addi sp,sp,-16\nlb a1,0(a0)\nlb a2,4(a0)\nsw a1,0(sp)\nlw a3,0(sp)\n"
                  "mul a4,a3,a2\nlw a5,8(a0)\nmulh a4,a4,a5\nli a3,4\nmul a3,a3,a3\n"
                  "add a3,a3,a0\nlb a3,-16(a3)\nmul a3,a3,a2\nsw a4,12(a0)\naddi sp,sp,16\nret\n");
  CallOptions options;
  options.check_alignment = true;
  const uint32_t at = program.data();
  options.counted = {{at, 4}, {at + 4, 4}, {at + 8, 4}};
  for (int call = 0; call < 2; ++call) {  // counts restart at zero
    const CallReport report = program.call({at}, options);
    ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
    EXPECT_EQ(report.factors, (FactorCounts{{{1, 2}, 2}, {{3, 4}, 1}, {{0, 0}, 1}}));
    // A spilled value counts its load, not its reload; a value that two products read counts once.
    EXPECT_EQ(report.factor_loads,
              (FactorLoads{{{1, 2}, {2, 1}}, {{3, 4}, {0, 4}}, {{0, 0}, {0, 0}}}));
  }
}

// The addend of a multiply-accumulate is not a factor.
TEST(SimulatorCall, FactorsOfSums_AreOnlyWhatIsMultiplied) {
  Program program("stm32l4r5",
                  "f: push {r4,r5}\nldr r1,[r0]\nldr r2,[r0,#4]\nldr r3,[r0,#8]\n"
                  "mla r4,r1,r2,r3\nsmlad r4,r1,r2,r4\nmov r5,#0\nsmlal r4,r5,r1,r3\nsmmul "
                  "r1,r4,r2\nldrd r3,r2,[r0]\n"
                  "mul r2,r3,r3\npop {r4,r5}\nbx lr\n");
  CallOptions options;
  options.check_alignment = true;
  const uint32_t at = program.data();
  options.counted = {{at, 4}, {at + 4, 4}, {at + 8, 4}};
  const CallReport report = program.call({at}, options);
  ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.factors, (FactorCounts{{{1, 2}, 2}, {{1, 4}, 1}, {{2, 7}, 1}, {{1, 1}, 1}}));
  EXPECT_EQ(report.factor_loads,
            (FactorLoads{{{1, 2}, {4, 4}}, {{1, 4}, {0, 4}}, {{2, 7}, {0, 0}}, {{1, 1}, {4, 0}}}));
}

// Vectors from memory, a written lane, their dot product, and what is stored of them.
TEST(SimulatorCall, FactorsOfVectors_AreFollowedThroughThem) {
  Program program("cortex-m55",
                  ".cpu cortex-m55\nf: vldrb.8 q0,[r0]\nvldrb.8 q1,[r0,#16]\nvmladav.s8 r2,q0,q1\n"
                  "vmov q2[2],q2[0],r2,r2\nvldrw.32 q3,[r0,#32]\nvqrdmulh.s32 q2,q2,q3\n"
                  "vstrb.32 q2,[r0,#48]\nldr r1,[r0,#48]\nmul r1,r1,r2\nbx lr\n");
  CallOptions options;
  options.check_alignment = true;
  const uint32_t at = program.data();
  options.counted = {{at, 16}, {at + 16, 16}, {at + 32, 16}, {at + 48, 16}};
  const CallReport report = program.call({at}, options);
  ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.factors, (FactorCounts{{{1, 2}, 1}, {{3, 4}, 1}, {{3, 15}, 1}}));
  EXPECT_EQ(report.factor_loads,
            (FactorLoads{{{1, 2}, {16, 16}}, {{3, 4}, {0, 16}}, {{3, 15}, {0, 4}}}));
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(report.traffic[i].loaded_bytes, 16u);
  EXPECT_EQ(report.traffic[3].stored_bytes, 4u);
  EXPECT_EQ(report.traffic[3].loaded_bytes, 4u);
}

// A vector of weights that is widened and then multiplied with two scalar inputs.
TEST(SimulatorCall, FactorsOfVectorsAndScalars_AreFollowedOnRiscv) {
  Program program("rv32imc_zve32x",
                  "f: li a1,6\nvsetvli zero,a1,e16,m1,ta,ma\nvle8.v v1,(a0)\nvsext.vf2 v2,v1\n"
                  "lb a2,24(a0)\nlb a3,25(a0)\nvwmacc.vx v4,a2,v2\nvwmacc.vx v6,a3,v2\n"
                  "vsetvli zero,zero,e32,m2,ta,ma\nvle32.v v8,(a0)\nvsmul.vv v4,v4,v8\nret\n");
  CallOptions options;
  options.check_alignment = true;
  const uint32_t at = program.data();
  options.counted = {{at, 24}, {at + 24, 16}};
  const CallReport report = program.call({at}, options);
  ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.factors, (FactorCounts{{{1, 2}, 2}, {{1, 3}, 1}}));
  EXPECT_EQ(report.factor_loads, (FactorLoads{{{1, 2}, {6, 2}}, {{1, 3}, {24, 0}}}));
}

}  // namespace
}  // namespace tinytune
