// Effects that Hazard3's RTL shows and simpler core models lack, each in code with nothing else:
// misaligned targets, the branch target buffer, the data of stores, dividends. And the instructions
// that the emulator does not know.
#include <gtest/gtest.h>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

uint64_t hazard3_cycles(const std::string& device, const std::string& body) {
  Program program(device, "f:\n" + body + "\nnop\nret\n");
  const CallReport report = program.call({program.data(), program.data() + 64, 3, 5, 7, 11});
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  return report.counts.cycles;
}

/// Cycles that `body`, which starts at a multiple of 4, adds to "nop; ret".
int64_t hazard3_cost(const std::string& body, const std::string& device = "hazard3") {
  return static_cast<int64_t>(hazard3_cycles(device, body)) - 3;
}

const std::string kWide = ".option norvc\n", kShort = ".option rvc\n";

TEST(Hazard3Timing, NopAndReturn_TakeOneAndTwo) { EXPECT_EQ(hazard3_cost(""), 0); }

TEST(Hazard3Timing, JumpToAWideInstructionOnAnOddHalfWord_TakesOneMore) {
  EXPECT_EQ(hazard3_cost(kWide + "j 1f\nnop\n1: add a2,a2,a3"), 2 + 1);
  EXPECT_EQ(hazard3_cost(kWide + "j 1f\n" + kShort + "c.nop\n" + kWide + "1: add a2,a2,a3"), 3 + 1);
  EXPECT_EQ(hazard3_cost(kWide + "j 1f\n" + kShort + "c.nop\n1: c.add a2,a3"), 2 + 1);
}

TEST(Hazard3Timing, BranchToAWideInstructionOnAnOddHalfWord_TakesOneMoreIfTaken) {
  const std::string over = " 1f\n" + kShort + "c.nop\n" + kWide + "1: add a2,a2,a3";
  EXPECT_EQ(hazard3_cost(kWide + "bne a0,a1," + over), 3 + 1);
  EXPECT_EQ(hazard3_cost(kWide + "beq a0,a1," + over), 1 + 1 + 1);
  EXPECT_EQ(hazard3_cost(kWide + "bne a0,a1," + over, "esp32c3"), 4 + 1);
}

TEST(Hazard3Timing, ReturnToAWideInstructionOnAnOddHalfWord_TakesOneMore) {
  const std::string body =
      "mv t1,ra\n" + kShort + "%c.jal 2f\n" + kWide + "1: add a2,a2,a3\nmv ra,t1\nj 3f\n2: ret\n3:";
  const auto with = [&](const std::string& filling) {
    std::string text = body;
    return text.replace(text.find('%'), 1, filling);
  };
  // First c.jal is in the odd half word, so the code after it is aligned. One more short
  // instruction before it misaligns all three targets: of the call, the return and the jump.
  EXPECT_EQ(hazard3_cost(with("")), 1 + 2 + 2 + 1 + 1 + 2);
  EXPECT_EQ(hazard3_cost(with("c.nop\n")), 1 + 1 + 3 + 3 + 1 + 1 + 3);
}

TEST(Hazard3Timing, LoopBranchTakenAgain_TakesOneAndItsEndTwo) {
  EXPECT_EQ(hazard3_cost(kWide + "li a2,100\n1: addi a2,a2,-1\nbnez a2,1b"),
            1 + 100 + 2 + 98 * 1 + 2);
}

TEST(Hazard3Timing, LoopWithinOneWord_IsNeverPredicted) {
  EXPECT_EQ(hazard3_cost(kWide + "li a2,100\n" + kShort + "1: c.addi a2,-1\nc.bnez a2,1b"),
            1 + 100 + 99 * 2 + 1);
  EXPECT_EQ(hazard3_cost(kWide + "li a2,100\n" + kShort + "c.nop\n1: c.addi a2,-1\nc.bnez a2,1b"),
            1 + 1 + 100 + 2 + 98 * 1 + 2);
}

TEST(Hazard3Timing, EndOfAPredictedLoop_CountsAsAJump) {
  EXPECT_EQ(hazard3_cost(kWide + "li a2,100\n" + kShort + "c.nop\n1: c.addi a2,-1\nc.bnez a2,1b\n" +
                         kWide + "add a3,a3,a3"),
            1 + 1 + 100 + 2 + 98 * 1 + 3 + 1);
}

TEST(Hazard3Timing, PredictedLoopHeadOnAnOddHalfWord_TakesOneMoreEachPass) {
  EXPECT_EQ(hazard3_cost(kWide + "li a2,100\n" + kShort + "c.nop\n" + kWide +
                         "1: add a3,a3,a3\naddi a2,a2,-1\nbnez a2,1b"),
            1 + 1 + 200 + 3 + 98 * 2 + 3);
}

TEST(Hazard3Timing, ShortInstructionsBeforeAPredictedBranch_HideItsMisalignedTarget) {
  const auto loop = [](const std::string& last) {
    return kWide + "li a2,100\n" + kShort + "c.nop\n" + kWide + "1: add a3,a3,a3\n" + kShort +
           "c.addi a2,-1\n" + last + kWide + "bnez a2,1b";
  };
  EXPECT_EQ(hazard3_cost(loop("c.nop\n")), 1 + 1 + 300 + 3 + 98 * 1 + 3);
  // Now the branch is a half word later, and a wide instruction precedes it.
  EXPECT_EQ(hazard3_cost(loop(kWide + "nop\n")), 1 + 1 + 300 + 3 + 98 * 2 + 2);
}

TEST(Hazard3Timing, LoopWithinOneWord_IsPredictedWhenTheBufferStillHoldsIt) {
  // The first pass predicts nothing, so the end of its loop keeps the entry. In the second pass
  // fetching reaches the branch's word, and from then on the buffer makes every jump.
  EXPECT_EQ(
      hazard3_cost(kWide + "li a3,2\n1: li a2,10\n" + kShort + "2: c.addi a2,-1\nc.bnez a2,2b\n" +
                   kWide + "addi a3,a3,-1\nbeqz a3,3f\nj 1b\n3:"),
      1 + 2 + (10 + 9 * 2 + 1) + (10 + 9 * 1 + 2) + 2 + (1 + 2) + 2);
}

TEST(Hazard3Timing, AnotherLoopsBranch_TakesTheOnlyEntry) {
  // The inner loop ends mispredicted, and the outer branch finds the buffer empty every time.
  EXPECT_EQ(
      hazard3_cost(kWide + "li a3,10\n1: li a2,2\n2: addi a2,a2,-1\nbnez a2,2b\naddi a3,a3,-1\n"
                           "bnez a3,1b"),
      1 + 10 * (1 + (1 + 2) + (1 + 2) + 1) + 9 * 2 + 1);
}

TEST(Hazard3Timing, DataOfAStore_DoesNotWaitForALoad) {
  EXPECT_EQ(hazard3_cost("lw a2,0(a0)\nsw a2,4(a0)"), 2);
  EXPECT_EQ(hazard3_cost("lb a2,0(a0)\nsb a2,4(a0)"), 2);
  EXPECT_EQ(hazard3_cost("sw a0,0(a0)\nlw a2,0(a0)\nsw a3,4(a2)"), 1 + 2 + 1);
  EXPECT_EQ(hazard3_cost("sw a0,0(a0)\nlw a2,0(a0)\nsw a2,4(a2)"), 1 + 2 + 1);
  EXPECT_EQ(hazard3_cost("lw a2,0(a0)\nsw a2,4(a0)", "esp32c3"), 3);
}

TEST(Hazard3Timing, BranchToTheInstructionAfterIt_CostsWhatItsConditionSays) {
  EXPECT_EQ(hazard3_cost(kWide + "bne a0,a1,1f\n1:"), 2);
  EXPECT_EQ(hazard3_cost(kWide + "beq a0,a1,1f\n1:"), 1);
  EXPECT_EQ(hazard3_cost(kWide + "blt a3,a2,1f\n1: bltu a2,a3,1f\n1: bge a2,a3,1f\n1:"), 1 + 2 + 1);
  EXPECT_EQ(hazard3_cost(kShort + "c.bnez a0,1f\n1: c.beqz a0,1f\n1:"), 2 + 1);
  EXPECT_EQ(hazard3_cost(kWide + "j 1f\n1:"), 2);
  // Taken in every other pass: four passes of 1 cycle, four of 2.
  EXPECT_EQ(
      hazard3_cost(kWide + "li a2,8\n2: andi a3,a2,1\nbeqz a3,1f\n1: addi a2,a2,-1\nbnez a2,2b"),
      1 + 8 * 2 + 4 * (1 + 2) + 2 + 6 * 1 + 2);
}

TEST(Hazard3Timing, Division_TakesOneMoreForANegativeDividend) {
  EXPECT_EQ(hazard3_cost("div a2,a3,a4"), 19);
  EXPECT_EQ(hazard3_cost("neg a3,a3\ndiv a2,a3,a4\nadd a2,a2,a2"), 1 + 20 + 1);
  EXPECT_EQ(hazard3_cost("neg a3,a3\nrem a2,a3,a4"), 1 + 20);
  EXPECT_EQ(hazard3_cost("neg a4,a4\ndiv a2,a3,a4"), 1 + 19);
  EXPECT_EQ(hazard3_cost("neg a3,a3\nremu a2,a3,a4"), 1 + 19);
}

TEST(Hazard3Timing, AtomicInstruction_TakesFourAndItsResultNoMore) {
  EXPECT_EQ(hazard3_cost(kWide + "amoadd.w a2,a3,(a0)"), 4);
  EXPECT_EQ(hazard3_cost(kWide + "amoadd.w a2,a3,(a0)\nadd a2,a2,a2"), 5);
  EXPECT_EQ(hazard3_cost(kWide + "amoswap.w a2,a3,(a0)\namoadd.w a2,a3,(a0)"), 8);
}

TEST(Hazard3Timing, ReservedAccessBehindAnother_TakesOneMore) {
  EXPECT_EQ(hazard3_cost(kWide + "lr.w a2,(a0)\nsc.w a3,a4,(a0)"), 3);
  EXPECT_EQ(hazard3_cost(kWide + "lr.w a2,(a0)\nnop\nsc.w a3,a4,(a0)"), 3);
  EXPECT_EQ(hazard3_cost(kWide + "lr.w a2,(a0)\nsc.w a3,a2,(a0)"),
            3);  // the load's wait is the same cycle
  EXPECT_EQ(hazard3_cost(kWide + "lr.w a2,(a0)\namoadd.w a3,a4,(a0)"), 6);
}

TEST(Hazard3Timing, BitManipulation_TakesOne) {
  EXPECT_EQ(hazard3_cost("sh2add a2,a3,a4\nmin a2,a2,a3\nsext.b a2,a2"), 3);
  EXPECT_EQ(hazard3_cost(kWide + "lb a2,0(a0)\nsext.b a2,a2\nli a3,3\n1: sh1add a2,a2,a2\n"
                                 "addi a3,a3,-1\nbnez a3,1b"),
            1 + 1 + 1 + 1 + 3 * 2 + 2 + 1 + 2);
}

TEST(Hazard3Timing, BitManipulationAfterABranch_BelongsToItsOwnBlock) {
  EXPECT_EQ(
      hazard3_cost(kWide + "beq a0,a1,1f\n1: nop\nsh1add a2,a2,a2\nbeq a0,a1,1f\nsh1add a2,a2,a2\n"
                           "1: sh1add a2,a2,a2"),
      6);
}

TEST(BitManipulation, ComputesWhatTheManualSays) {
  struct Case {
    const char* code;
    uint32_t a, b, result;
  };
  const Case cases[] = {
      {"sh1add a0,a0,a1", 0x80000003, 5, 11},
      {"sh2add a0,a0,a1", 3, 5, 17},
      {"sh3add a0,a0,a1", 3, 0xFFFFFFFF, 23},
      {"andn a0,a0,a1", 0xFF00FF, 0xF0F0F0, 0x0F000F},
      {"orn a0,a0,a1", 1, 0xFFFFFFF0, 0xF},
      {"xnor a0,a0,a1", 0xFFFF0000, 0x0000FFFF, 0},
      {"clz a0,a0", 0x00010000, 0, 15},
      {"clz a0,a0", 0, 0, 32},
      {"ctz a0,a0", 0x00010000, 0, 16},
      {"cpop a0,a0", 0xF00F0001, 0, 9},
      {"min a0,a0,a1", 0x80000000, 1, 0x80000000},
      {"minu a0,a0,a1", 0x80000000, 1, 1},
      {"max a0,a0,a1", 0x80000000, 1, 1},
      {"maxu a0,a0,a1", 0x80000000, 1, 0x80000000},
      {"sext.b a0,a0", 0x1280, 0, 0xFFFFFF80},
      {"sext.h a0,a0", 0x12345, 0, 0x2345},
      {"zext.h a0,a0", 0xFFFF8001, 0, 0x8001},
      {"rol a0,a0,a1", 0x80000001, 33, 3},
      {"ror a0,a0,a1", 0x80000001, 4, 0x18000000},
      {"rori a0,a0,8", 0x12345678, 0, 0x78123456},
      {"orc.b a0,a0", 0x00100200, 0, 0x00FFFF00},
      {"rev8 a0,a0", 0x12345678, 0, 0x78563412},
      {"bclr a0,a0,a1", 0xFF, 35, 0xF7},
      {"bclri a0,a0,31", 0x80000001, 0, 1},
      {"bext a0,a0,a1", 0x80, 7, 1},
      {"bexti a0,a0,6", 0x80, 0, 0},
      {"binv a0,a0,a1", 0x80, 7, 0},
      {"binvi a0,a0,0", 0x80, 0, 0x81},
      {"bset a0,a0,a1", 0, 31, 0x80000000},
      {"bseti a0,a0,4", 0, 0, 16},
      {"bclri zero,a0,4\nmv a0,zero", 77, 0, 0},
  };
  std::string source = "f: ret\n";
  int index = 0;
  for (const Case& c : cases) {
    const std::string name = "g" + std::to_string(index++);
    source += ".globl " + name + "\n" + name + ":\n" + c.code + "\nret\n";
  }
  Program program("hazard3", source);
  index = 0;
  for (const Case& c : cases) {
    const uint32_t function = program.symbol("g" + std::to_string(index++));
    const uint32_t arguments[] = {c.a, c.b};
    const auto report = program.simulator().call(function, arguments);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->end, CallEnd::kReturned) << c.code << ": " << report->detail;
    EXPECT_EQ(report->return_value, c.result) << c.code;
  }
}

TEST(BitManipulation, IsRefusedWhereTheDeviceLacksIt) {
  Program program("esp32c3", "f: sh2add a0,a0,a1\nret\n", "rv32imc_zba");
  const CallReport report = program.call({1, 2});
  EXPECT_EQ(report.end, CallEnd::kIllegalInstruction);
  EXPECT_NE(report.detail.find("sh2add is not in rv32imc"), std::string::npos) << report.detail;
}

}  // namespace
}  // namespace tinytune
