// Every timing fact of the ESP32-C3's device file, as cycles of code that shows it.
//
// A body's esp32c3_cost is the difference between two programs, so that call and return cancel.
#include <gtest/gtest.h>

#include "simulator/timing_model.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

uint64_t esp32c3_cycles(const std::string& device, const std::string& body) {
  Program program(device, "f:\n" + body + "\nnop\nret\n");
  const CallReport report = program.call({program.data(), program.data() + 64, 3, 5, 7, 11});
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  return report.counts.cycles;
}

/// Cycles that `body` adds to an empty function.
int64_t esp32c3_cost(const std::string& body, const std::string& device = "esp32c3") {
  return static_cast<int64_t>(esp32c3_cycles(device, body)) -
         static_cast<int64_t>(esp32c3_cycles(device, ""));
}

TEST(Esp32c3Timing, NopAndReturn_TakeOneAndTwo) { EXPECT_EQ(esp32c3_cycles("esp32c3", ""), 3u); }

TEST(Esp32c3Timing, SimpleArithmetic_TakesOne) {
  EXPECT_EQ(esp32c3_cost("add a0,a1,a2"), 1);
  EXPECT_EQ(esp32c3_cost("addi a0,a0,1"), 1);
  EXPECT_EQ(esp32c3_cost("xor a0,a0,a1"), 1);
  EXPECT_EQ(esp32c3_cost("lui a0,5"), 1);
  EXPECT_EQ(esp32c3_cost("add a0,a1,a2\nadd a0,a0,a0\nadd a0,a0,a0"), 3);
}

TEST(Esp32c3Timing, Jump_TakesTwo) {
  EXPECT_EQ(esp32c3_cost("j 1f\n1:"), 2);
  EXPECT_EQ(esp32c3_cost("j 1f\nnop\n1:"), 2);
  EXPECT_EQ(esp32c3_cost(".option norvc\nj 1f\n1:"), 2);
}

TEST(Esp32c3Timing, BranchNotTaken_TakesOne) {
  EXPECT_EQ(esp32c3_cost("beq a0,a1,1f\nnop\n1:"), 1 + 1);
  EXPECT_EQ(esp32c3_cost("beqz a0,1f\nnop\n1:"), 1 + 1);
}

TEST(Esp32c3Timing, BranchTaken_TakesThreeForwardAndBackward) {
  EXPECT_EQ(esp32c3_cost("bne a0,a1,1f\nnop\n1:"), 3);
  EXPECT_EQ(esp32c3_cost("bnez a0,1f\nnop\n1:"), 3);
  // Three rounds: three addi, two taken, one not.
  EXPECT_EQ(esp32c3_cost("1: addi a2,a2,-1\nbnez a2,1b"), 3 + 2 * 3 + 1);
}

TEST(Esp32c3Timing, ThousandIterations_CostThousandTimes) {
  EXPECT_EQ(esp32c3_cost("li a2,1000\n1: addi a2,a2,-1\nbnez a2,1b"), 1 + 1000 + 999 * 3 + 1);
}

TEST(Esp32c3Timing, LoadUsedNext_TakesTwo) {
  EXPECT_EQ(esp32c3_cost("lw a2,0(a0)\nadd a3,a2,a2"), 2 + 1);
  EXPECT_EQ(esp32c3_cost("lb a2,0(a0)\nadd a3,a2,a2"), 2 + 1);
  EXPECT_EQ(esp32c3_cost("lbu a2,0(a0)\nadd a3,a2,a2"), 2 + 1);
  EXPECT_EQ(esp32c3_cost(".option norvc\nlw a2,0(a0)\nadd a3,a2,a2"), 2 + 1);
}

TEST(Esp32c3Timing, LoadNotUsedNext_TakesOne) {
  EXPECT_EQ(esp32c3_cost("lw a2,0(a0)\nadd a3,a4,a4"), 1 + 1);
  EXPECT_EQ(esp32c3_cost("lw a2,0(a0)\nnop\nadd a3,a2,a2"), 1 + 1 + 1);
}

TEST(Esp32c3Timing, LoadUsedByStoreOrAddress_Stalls) {
  EXPECT_EQ(esp32c3_cost("lw a2,0(a0)\nsw a2,4(a0)"), 2 + 1);
  EXPECT_EQ(esp32c3_cost("sw a0,0(a0)\nlw a2,0(a0)\nlw a3,0(a2)"), 1 + 2 + 1);
}

TEST(Esp32c3Timing, LoadOverwrittenNext_DoesNotStall) {
  EXPECT_EQ(esp32c3_cost("lw a2,0(a0)\nli a2,1"), 1 + 1);
}

TEST(Esp32c3Timing, LoadUsedAcrossABlock_Stalls) {
  // The load's result is read by the branch in the same block, or by the add in the next block.
  EXPECT_EQ(esp32c3_cost("lw a2,0(a0)\nbnez a2,1f\nnop\n1:"), 2 + 1 + 1);
  EXPECT_EQ(esp32c3_cost("lw a2,0(a0)\n1: add a3,a3,a2\naddi a4,a4,-1\nbgtz a4,1b"),
            2 + 7 * 2 + 6 * 3 + 1);
}

TEST(Esp32c3Timing, Store_TakesOne) {
  EXPECT_EQ(esp32c3_cost("sw a2,0(a0)"), 1);
  EXPECT_EQ(esp32c3_cost("sb a2,0(a0)\nsb a2,1(a0)"), 2);
}

TEST(Esp32c3Timing, Multiply_TakesOne) {
  EXPECT_EQ(esp32c3_cost("mul a0,a1,a2"), 1);
  EXPECT_EQ(esp32c3_cost("mul a0,a1,a2\nadd a0,a0,a0"), 2);
  EXPECT_EQ(esp32c3_cost("mul a0,a1,a2\nmul a0,a0,a2\nmul a0,a0,a2"), 3);
}

TEST(Esp32c3Timing, MultiplyHigh_TakesFive) {
  EXPECT_EQ(esp32c3_cost("mulh a0,a1,a2"), 5);
  EXPECT_EQ(esp32c3_cost("mulhu a0,a1,a2"), 5);
  EXPECT_EQ(esp32c3_cost("mulhsu a0,a1,a2\nadd a0,a0,a0"), 6);
}

TEST(Esp32c3Timing, Divide_TakesItsUpperEndWhateverTheData) {
  EXPECT_EQ(esp32c3_cost("div a0,a2,a3"), 35);
  EXPECT_EQ(esp32c3_cost("remu a0,a2,a3"), 35);
  EXPECT_EQ(esp32c3_cost("li a3,1\ndivu a0,a2,a3"), 36);
}

TEST(Esp32c3Timing, JumpToRegister_TakesTwoAndOneMoreWhenJustWritten) {
  EXPECT_EQ(esp32c3_cost("la a3,1f\nnop\njr a3\n1:"), 2 + 1 + 2);
  EXPECT_EQ(esp32c3_cost("la a3,1f\njr a3\n1:"), 2 + 3);
}

TEST(UnitTiming, EveryInstruction_IsOneCycle) {
  EXPECT_EQ(
      esp32c3_cost("lw a2,0(a0)\nadd a3,a2,a2\nmulh a2,a3,a3\ndiv a2,a2,a3\nj 1f\n1:", "rv32imc"),
      5);
  EXPECT_EQ(esp32c3_cost("li a2,1000\n1: addi a2,a2,-1\nbnez a2,1b", "rv32imc"), 2001);
}

TEST(TimingModel, MissingKey_IsRefusedByName) {
  Timing timing = load_device("esp32c3")->timing;
  timing.cycles.erase("load_use");
  const auto model = TimingModel::create(timing);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code(), ErrorCode::kInvalidInput);
  EXPECT_NE(model.error().message().find("'load_use'"), std::string::npos);
}

TEST(TimingModel, CountOutOfItsRange_IsRefusedByName) {
  Timing timing = load_device("vicuna")->timing;
  timing.cycles["vector_queue"] = 9;
  EXPECT_NE(TimingModel::create(timing, 128).error().message().find("vector_queue must be 2 to 8"),
            std::string::npos);
  timing = load_device("corstone300")->timing;
  timing.cycles["transfer_registers"] = 0;
  EXPECT_NE(TimingModel::create(timing).error().message().find("must be 1 to 16"),
            std::string::npos);
}

TEST(TimingModel, UnknownKeyOrModel_IsRefusedByName) {
  Timing timing = load_device("esp32c3")->timing;
  timing.cycles["load_usee"] = 1;
  EXPECT_NE(TimingModel::create(timing).error().message().find("'load_usee'"), std::string::npos);
  timing = {"unit", {{"alu", 1}}, {}};
  EXPECT_NE(TimingModel::create(timing).error().message().find("'alu'"), std::string::npos);
  timing = {"quantum", {}, {}};
  EXPECT_NE(TimingModel::create(timing).error().message().find("'quantum'"), std::string::npos);
}

TEST(Esp32c6Timing, Branches_CostByDirectionAndOutcome) {
  const auto esp32c3_cost = [](const std::string& body) {
    return tinytune::esp32c3_cost(body, "esp32c6");
  };
  EXPECT_EQ(esp32c3_cost("beq a0,a1,1f\nnop\n1:"), 1 + 1) << "forward, not taken";
  EXPECT_EQ(esp32c3_cost("bne a0,a1,1f\nnop\n1:"), 3) << "forward, taken";
  EXPECT_EQ(esp32c3_cost("li a2,1000\n1: addi a2,a2,-1\nbnez a2,1b"), 1 + 1000 + 999 * 1 + 3);
  EXPECT_EQ(esp32c3_cost("j 1f\nnop\n1:"), 1);
}

TEST(Esp32c6Timing, Loads_AreLateByOne) {
  EXPECT_EQ(esp32c3_cost("lw a2,0(a0)\nadd a3,a2,a2", "esp32c6"), 2 + 1);
  EXPECT_EQ(esp32c3_cost("lw a2,0(a0)\nsw a3,4(a0)", "esp32c6"), 2);
}

}  // namespace
}  // namespace tinytune
