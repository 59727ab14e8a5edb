// Timing facts of the Cortex-M33 as jnk0le measured them on an RP2350, each shown by the cycles of
// a code sequence; and a check that every device with this core has them.
#include <gtest/gtest.h>

#include "devices/core_table.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

class CortexM33Timing : public testing::TestWithParam<std::string> {
 protected:
  /// Cycles that `body` adds to an empty function.
  static int64_t cost(const std::string& body) { return cycles_of(body) - cycles_of(""); }

 private:
  static int64_t cycles_of(const std::string& body) {
    Program program(GetParam(),
                    "f: push {r4-r7}\nnop\n" + body + "\nnop\nnop\npop {r4-r7}\nbx lr\n");
    CallOptions core_alone;
    core_alone.zero_wait = true;
    const CallReport report = program.call({program.data(), program.data() + 64, 3, 5}, core_alone);
    EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
    return static_cast<int64_t>(report.counts.cycles);
  }
};

INSTANTIATE_TEST_SUITE_P(Boards, CortexM33Timing, testing::Values("rp2350", "stm32u5", "nrf5340"));

TEST_P(CortexM33Timing, Multiplications_ChainOnTheAccumulatorOnly) {
  EXPECT_EQ(cost("smlad r4,r2,r3,r4\nsmlad r4,r2,r3,r4\nsmlad r4,r2,r3,r4"), 3);
  EXPECT_EQ(cost("smlad r4,r2,r3,r5\nadds r4,r4,r4"), 1 + 2);
  EXPECT_EQ(cost("mul r2,r2,r3\nmul r2,r2,r3"), 1 + 2);
  EXPECT_EQ(cost("smlad r4,r2,r3,r4\nstr r4,[r0]"), 2);
}

TEST_P(CortexM33Timing, ShortMultiplicationThatSetsFlags_TakesTwo) {
  EXPECT_EQ(cost("muls r2,r3,r2"), 2);
  EXPECT_EQ(cost("mul r4,r3,r2"), 1);
}

TEST_P(CortexM33Timing, LoadedValue_IsLateButForStoresAndAccumulators) {
  EXPECT_EQ(cost("ldr r2,[r0]\nldr r3,[r0,#4]"), 2);
  EXPECT_EQ(cost("ldr r2,[r0]\nadds r3,r2,r2"), 1 + 2);
  EXPECT_EQ(cost("ldr r2,[r0]\nsmlad r4,r2,r3,r4"), 1 + 2);
  EXPECT_EQ(cost("ldr r4,[r0]\nsmlad r4,r2,r3,r4"), 2);
  EXPECT_EQ(cost("ldr r2,[r0]\nstr r2,[r0,#4]"), 2);
}

TEST_P(CortexM33Timing, SteppedPointer_IsThereAtOnce) {
  EXPECT_EQ(cost("ldr r2,[r0],#4\nldr r3,[r0],#4"), 2);
}

TEST_P(CortexM33Timing, ShiftedAndExtendedOperands_GiveTheirResultLate) {
  EXPECT_EQ(cost("add r4,r2,r3,lsl #2\nadds r5,r4,r4"), 1 + 2);
  EXPECT_EQ(cost("uxtab r4,r2,r3\nadds r5,r4,r4"), 1 + 2);
  EXPECT_EQ(cost("sxtb16 r4,r3\nadds r5,r4,r4"), 2);
}

TEST_P(CortexM33Timing, SeveralRegisters_TakeOneEach) {
  EXPECT_EQ(cost("ldm r0,{r2,r3,r4,r5}"), 4);
  EXPECT_EQ(cost("stm r0,{r2,r3}"), 2);
  EXPECT_EQ(cost("ldrd r2,r3,[r0]"), 2);
}

TEST_P(CortexM33Timing, ShortBranch_IssuesBesideAShortInstruction) {
  EXPECT_EQ(cost("cmp r2,#3\nbne 1f\n1:"), 1 + 0);
  EXPECT_EQ(cost("cmp r2,#4\nbne 1f\nnop\n1:"), 1 + 2) << "taken, on flags just set";
  EXPECT_EQ(cost("cmp r2,#4\nmov r4,r5\nbne 1f\nnop\n1:"), 1 + 1 + 1);
  EXPECT_EQ(cost("cmp.w r2,#3\nbne 1f\n1:"), 1 + 1) << "behind a wide one";
  EXPECT_EQ(cost("movs r2,#100\n1: subs r2,#1\nbne 1b"), 1 + 100 + 99 * 2);
}

TEST_P(CortexM33Timing, Divide_TakesItsUpperEnd) { EXPECT_EQ(cost("udiv r2,r2,r3"), 11); }

// The emulator's core has an FPU; a chip without one must refuse the instruction.
TEST(CortexM33, FloatingPoint_IsRefused) {
  Device device = *load_device("rp2350");
  device.target = internal::without_fpu(device.target);
  Program program(device, "f: .inst.w 0xee300a20\nbx lr\n");  // vadd.f32 s0, s0, s1
  EXPECT_EQ(program.call().end, CallEnd::kIllegalInstruction);
}

}  // namespace
}  // namespace tinytune
