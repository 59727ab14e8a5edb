// Timing facts of the Arm device files, as cycles of code that shows them. A body's cost is the
// difference between two programs, so that call and return cancel.
#include <gtest/gtest.h>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

uint64_t cycles_of(const std::string& device, const std::string& body) {
  Program program(device, "f: push {r4-r7}\nnop\n" + body + "\nnop\nnop\npop {r4-r7}\nbx lr\n");
  CallOptions core_alone;
  core_alone.zero_wait = true;  // code of the STM32F4 runs from flash
  const CallReport report = program.call({program.data(), program.data() + 64, 3, 5}, core_alone);
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_TRUE(report.registers_restored);
  return report.counts.cycles;
}

int64_t cost(const std::string& device, const std::string& body) {
  return static_cast<int64_t>(cycles_of(device, body)) -
         static_cast<int64_t>(cycles_of(device, ""));
}

class CortexM4Timing : public testing::TestWithParam<std::string> {
 protected:
  int64_t cost(const std::string& body) { return tinytune::cost(GetParam(), body); }
};

INSTANTIATE_TEST_SUITE_P(Boards, CortexM4Timing, testing::Values("stm32f4", "stm32l4r5"));

TEST_P(CortexM4Timing, ArithmeticAndMultiply_TakeOne) {
  EXPECT_EQ(cost("adds.w r2,r2,r3\nmul r2,r2,r3\nmla r2,r2,r3,r2\nsmlad r2,r2,r3,r2"), 4);
  EXPECT_EQ(cost("smull r2,r3,r2,r3\nsxtb16 r2,r3\nmls r2,r2,r3,r2"), 3);
}

TEST_P(CortexM4Timing, ThirdWideInstructionOnAnOddHalfWord_WaitsForItsFetch) {
  EXPECT_EQ(cost("nop\nadd.w r2,r2,r3\nadd.w r4,r4,r3\nnop"), 4);
  EXPECT_EQ(cost("nop\nadd.w r2,r2,r3\nadd.w r4,r4,r3\nadd.w r5,r5,r3\nnop"), 6);
  EXPECT_EQ(cost("add.w r2,r2,r3\nadd.w r4,r4,r3\nadd.w r5,r5,r3"), 3);
  // Slower instructions let the fetch run ahead.
  EXPECT_EQ(cost("nop\nadd.w r2,r2,r3\nadd.w r4,r4,r3\nldr.w r5,[r0]\nnop"), 6);
  EXPECT_EQ(cost("nop\nstr.w r2,[r0]\nstr.w r2,[r0]\nstr.w r2,[r0]\nnop"), 5);
  EXPECT_EQ(cost("nop\nstr.w r2,[r0]\nstr.w r2,[r0]\nstr.w r2,[r0]\nstr.w r2,[r0]\nnop"), 7);
}

TEST_P(CortexM4Timing, TransferBehindAStore_TakesOneMore) {
  EXPECT_EQ(cost("str r3,[r0]\nnop\nldm r1,{r2,r4}"), 5);
  EXPECT_EQ(cost("str r3,[r0]\nldm r1,{r2,r4}\nnop"), 6);
  EXPECT_EQ(cost("str r3,[r0]\nldrd r2,r4,[r1]\nnop"), 6);
}

TEST_P(CortexM4Timing, LoadsInARow_OverlapAllButOnce) {
  EXPECT_EQ(cost("ldr r2,[r0]"), 2);
  EXPECT_EQ(cost("ldr r2,[r0]\nldr r3,[r0,#4]"), 3);
  EXPECT_EQ(cost("ldr r2,[r0]\nldr r3,[r0,#4]\nldr r4,[r0,#8]\nldr r5,[r0,#12]"), 5);
  EXPECT_EQ(cost("ldr r2,[r0]\nadds r3,r2,r2"), 3);
}

TEST_P(CortexM4Timing, PostIndexedLoads_OverlapOnlyOnDifferentBases) {
  EXPECT_EQ(cost("ldr r2,[r0],#4\nldr r3,[r1],#4"), 3);
  EXPECT_EQ(cost("ldr r2,[r0],#4\nldr r3,[r0],#4"), 4);
}

TEST_P(CortexM4Timing, AddressJustComputed_CostsOneMore) {
  EXPECT_EQ(cost("adds r0,#4\nldr r2,[r0]"), 1 + 3);
  EXPECT_EQ(cost("adds r0,#4\nnop\nldr r2,[r0]"), 1 + 1 + 2);
}

TEST_P(CortexM4Timing, Stores_TakeOneTwoWithRegisterOffsetAndHideALoad) {
  EXPECT_EQ(cost("str r2,[r0]"), 1);
  EXPECT_EQ(cost("str r2,[r0,#8]\nstr r3,[r0,#4]"), 2);
  EXPECT_EQ(cost("movs r4,#4\nnop\nstr r2,[r0,r4]"), 1 + 1 + 2);
  EXPECT_EQ(cost("ldr r2,[r0]\nstr r3,[r0,#4]"), 2);
  EXPECT_EQ(cost("str r3,[r0,#4]\nldr r2,[r0]"), 1 + 3);
}

TEST_P(CortexM4Timing, MultipleTransfers_TakeOneAndOnePerRegister) {
  EXPECT_EQ(cost("ldm r0,{r2,r3,r4,r5}"), 5);
  EXPECT_EQ(cost("stm r0,{r2,r3}"), 3);
  EXPECT_EQ(cost("ldrd r2,r3,[r0]"), 3);
}

TEST_P(CortexM4Timing, Branches_TakeOneOrTwoAndJumpsThree) {
  EXPECT_EQ(cost("cmp r2,#3\nbne 1f\n1:"), 1 + 1);
  EXPECT_EQ(cost("cmp r2,#4\nbne 1f\nnop\n1:"), 1 + 2);
  EXPECT_EQ(cost("b 1f\nnop\n1:"), 3);
  EXPECT_EQ(cost("cbz r2,1f\nnop\n1:"), 1 + 1);
  EXPECT_EQ(cost("movs r2,#100\n1: subs r2,#1\nbne 1b"), 1 + 100 + 99 * 2 + 1);
}

TEST_P(CortexM4Timing, WideInstructionOnAnOddHalfWord_TakesOneMoreToJumpTo) {
  const std::string odd = ".p2align 2\nnop\nb 1f\nnop\n1: add.w r2,r2,r3\nnop";
  const std::string even = ".p2align 2\nnop\nb 1f\nnop\nnop\n1: add.w r2,r2,r3\nnop";
  EXPECT_EQ(cost(odd), cost(even) + 1);
}

TEST_P(CortexM4Timing, Divide_TakesItsUpperEnd) { EXPECT_EQ(cost("udiv r2,r2,r3"), 12); }

TEST(Rp2040Timing, TableOfTheCore_Holds) {
  const auto cost = [](const std::string& body) { return tinytune::cost("rp2040", body); };
  EXPECT_EQ(cost("adds r2,r2,r3\nmuls r2,r3,r2\nsxtb r2,r3"), 3);
  EXPECT_EQ(cost("ldr r2,[r0]\nldr r3,[r0,#4]"), 4);
  EXPECT_EQ(cost("strb r2,[r0]"), 2);
  EXPECT_EQ(cost("ldm r0!,{r2,r3,r4}"), 4);
  EXPECT_EQ(cost("cmp r2,#4\nbne 1f\nnop\n1:"), 1 + 2);
  EXPECT_EQ(cost("cmp r2,#3\nbne 1f\n1:"), 1 + 1);
  EXPECT_EQ(cost("b 1f\nnop\n1:"), 2);
  EXPECT_EQ(cost("mov r7,lr\nbl 1f\nb 2f\n1: bx lr\n2: mov lr,r7"), 1 + 3 + 2 + 2 + 1);
  // A delay loop of the vendor's start-up code: three cycles a round.
  EXPECT_EQ(cost("movs r2,#100\n1: subs r2,#1\nbne 1b"), 1 + 100 * 3 - 1);
}

TEST(Rp2040, Thumb2AndDivision_AreRefused) {
  for (const char* code : {".inst.w 0xfb900f91", ".inst.w 0xfb210230", ".inst.n 0xb108"}) {
    Program program("rp2040", std::string("f: ") + code + "\nbx lr\n");
    EXPECT_EQ(program.call().end, CallEnd::kIllegalInstruction) << code;
  }
}

class CortexM7Timing : public testing::Test {
 protected:
  static int64_t cost(const std::string& body) { return tinytune::cost("stm32f7", body); }
  /// Cycles per round of a long unrolled sequence, in which start and end do not show.
  static double rate(const std::string& body) {
    std::string unrolled;
    for (int i = 0; i < 64; ++i) unrolled += body + "\n";
    return static_cast<double>(cost(unrolled)) / 64;
  }
};

TEST_F(CortexM7Timing, IndependentArithmetic_IssuesInPairs) {
  EXPECT_NEAR(rate("adds r2,#1\nadds r3,#1"), 1.0, 0.02);
  EXPECT_NEAR(rate("add r2,r2,#1\nadd r3,r3,#1\nadd r4,r4,#1\nadd r5,r5,#1"), 2.0, 0.04);
}

TEST_F(CortexM7Timing, OneMultiplier_ChainsOnTheAccumulator) {
  EXPECT_NEAR(rate("smlad r4,r2,r3,r4"), 1.0, 0.02);
  EXPECT_NEAR(rate("smlad r4,r2,r3,r4\nsmlad r5,r2,r3,r5"), 2.0, 0.04);
  EXPECT_NEAR(rate("mul r4,r4,r3"), 2.0, 0.04);  // each product is the next multiplicand
  EXPECT_NEAR(rate("smlad r4,r2,r3,r4\nadd r5,r5,#1"), 1.0, 0.02);
}

TEST_F(CortexM7Timing, Loads_PairOnDifferentBanksOnly) {
  EXPECT_NEAR(rate("ldr r2,[r0]\nldr r3,[r0,#4]"), 1.0, 0.02);
  EXPECT_NEAR(rate("ldr r2,[r0]\nldr r3,[r0,#8]"), 2.0, 0.04);
  EXPECT_NEAR(rate("ldr r2,[r0]\nstr r3,[r0,#4]"), 1.0, 0.02);
  EXPECT_NEAR(rate("str r2,[r0]\nstr r3,[r0,#4]"), 2.0, 0.04);
}

TEST_F(CortexM7Timing, ByteStores_ClogTheBufferOnlyInStreams) {
  EXPECT_NEAR(rate("strb r2,[r0]"), 2.0, 0.04);
  EXPECT_NEAR(rate("strb r2,[r0]\nadd r2,r2,#1\nadd r3,r3,#1\nadd r4,r4,#1"), 2.0, 0.04);
  EXPECT_NEAR(rate("str r2,[r0]"), 1.0, 0.02);
}

TEST_F(CortexM7Timing, PackedOperations_DoNotPairWithEachOther) {
  EXPECT_NEAR(rate("sxtb16 r2,r4\nsxtb16 r3,r5"), 2.0, 0.04);
  EXPECT_NEAR(rate("sxtb16 r2,r4\nadd r3,r3,#1"), 1.0, 0.02);
}

TEST_F(CortexM7Timing, LoadMultiple_MovesTwoACycle) {
  EXPECT_NEAR(rate("ldm r0,{r2,r3,r4,r5}"), 2.0, 0.04);
  EXPECT_NEAR(rate("ldm r0,{r2,r3,r4}"), 2.0, 0.04);
}

TEST_F(CortexM7Timing, LoopBranch_IsPredictedUntilItFallsThrough) {
  const int64_t hundred = cost("movs r2,#100\n1: subs r2,#1\nbne 1b");
  const int64_t two_hundred = cost("movs r2,#200\n1: subs r2,#1\nbne 1b");
  EXPECT_EQ(two_hundred - hundred, 100);
  EXPECT_GE(hundred, 100 + 8);
  EXPECT_LE(hundred, 100 + 8 + 2);
}

/// Cycles per round of a loop that counts down r4; its start and end cancel.
double round_cycles(const Device& device, const std::string& body) {
  const auto rounds = [&](int count) {
    Program program(device, "f: push {r4,lr}\nmovs r4,#" + std::to_string(count) + "\n1: " + body +
                                "\nsubs r4,#1\nbne 1b\npop {r4,pc}\n");
    const CallReport report = program.call({program.data(), program.data() + 64, 3, 5});
    EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
    return static_cast<double>(report.counts.cycles);
  };
  return (rounds(200) - rounds(100)) / 100;
}

// A search for the end of a list leaves by such a branch.
constexpr const char* kBackwardBranchThatStays = "cmp r0,r0\nbne f";
constexpr const char* kForwardBranchThatIsTaken = "cmp r0,r0\nbeq 2f\nnop\n2:";
constexpr const char* kBranchTakenEveryOtherTime = "tst r4,#1\nbeq 2f\nnop\n2:";

TEST_F(CortexM7Timing, BranchThatDoesTheSameAgain_IsForeseen) {
  const Device device = *load_device("stm32f7");
  EXPECT_EQ(round_cycles(device, kBackwardBranchThatStays), 2);
  EXPECT_EQ(round_cycles(device, kForwardBranchThatIsTaken), 2);
}

TEST_F(CortexM7Timing, BranchTakenEveryOtherTime_IsOftenNotForeseen) {
  EXPECT_GE(round_cycles(*load_device("stm32f7"), kBranchTakenEveryOtherTime), 2 + 8 / 2);
}

TEST_F(CortexM7Timing, LoopInALoop_IsLeftUnforeseenAndEnteredForeseen) {
  const double inner = round_cycles(*load_device("stm32f7"), "movs r2,#5\n2: subs r2,#1\nbne 2b");
  EXPECT_NEAR(inner, 1 + 5 + 8 + 1, 1);
}

TEST_F(CortexM7Timing, WithoutHistory_LoopsGoOnAndNothingElseIsForeseenWrongly) {
  Device device = *load_device("stm32f7");
  device.timing.cycles.erase("branch_history");
  EXPECT_EQ(round_cycles(device, kBackwardBranchThatStays), 2 + 8);
  EXPECT_EQ(round_cycles(device, kForwardBranchThatIsTaken), 2);
  EXPECT_LE(round_cycles(device, kBranchTakenEveryOtherTime), 2.5);
}

}  // namespace
}  // namespace tinytune
