// Real code for a real instruction set: kernels that are wrong in one way each, all of which must
// be told apart from the right one.
#include <gtest/gtest.h>

#include "measure/runner.h"
#include "rpc_device/boards/simulator_board.h"
#include "tests/measure/dense_task.h"

namespace tinytune {
namespace {

class Misbehaviour : public testing::Test {
 protected:
  void SetUp() override {
    auto device = load_device("esp32c3");
    ASSERT_TRUE(device);
    device_ = *device;
    auto board = SimulatorBoard::create(device_);
    ASSERT_TRUE(board) << board.error().message();
    board_ = std::move(board).value();
  }

  MeasureResult run(const std::string& fault) {
    auto run = run_candidate(*board_, dense_kernel(fault, device_), dense_task(),
                             MeasureLimits{.run_cycles = 1'000'000});
    if (!run) {
      ADD_FAILURE() << run.error().message();
      return {};
    }
    return run->result;
  }

  void expect(const std::string& fault, Outcome outcome, const std::string& word) {
    const MeasureResult result = run(fault);
    EXPECT_EQ(name_of(result.outcome), name_of(outcome)) << result.detail;
    EXPECT_NE(result.detail.find(word), std::string::npos) << result.detail;
    EXPECT_EQ(result.detail.find('\n'), std::string::npos);
    EXPECT_TRUE(result.cycles.empty());
    EXPECT_EQ(result.instructions, 0u);
  }

  Device device_;
  std::unique_ptr<SimulatorBoard> board_;
};

TEST_F(Misbehaviour, CorrectKernel_IsOkWithExactCounts) {
  const MeasureResult result = run("NONE");
  ASSERT_EQ(result.outcome, Outcome::kOk) << result.detail;
  ASSERT_EQ(result.cycles.size(), 1u);
  EXPECT_GT(result.instructions, 7u * 10 * 9);
  EXPECT_GT(result.cycles[0], result.instructions);
  EXPECT_EQ(run("NONE").cycles, result.cycles);
}

TEST_F(Misbehaviour, StackUse_IsCountedAsRam) {
  const MeasureResult result = run("DEEP_STACK");
  ASSERT_EQ(result.outcome, Outcome::kOk) << result.detail;
  EXPECT_EQ(result.ram_bytes, 96u);
}

TEST_F(Misbehaviour, ReadOneBytePastInput_IsCaught) {
  expect("READ_PAST_INPUT", Outcome::kCrashed, "read of 1 byte");
}
TEST_F(Misbehaviour, ReadOneByteBeforeInput_IsCaught) {
  expect("READ_BEFORE_INPUT", Outcome::kCrashed, "read of 1 byte");
}
TEST_F(Misbehaviour, ReadOneBytePastWeights_IsCaught) {
  expect("READ_PAST_WEIGHTS", Outcome::kCrashed, "read of 1 byte");
}
TEST_F(Misbehaviour, WriteOneBytePastOutput_IsCaught) {
  expect("WRITE_PAST_OUTPUT", Outcome::kCrashed, "write of 1 byte");
}
TEST_F(Misbehaviour, WriteOneByteBeforeOutput_IsCaught) {
  // Without guards this byte would belong to the bias.
  expect("WRITE_BEFORE_OUTPUT", Outcome::kCrashed, "");
}
TEST_F(Misbehaviour, ClobberedSavedRegister_IsCaught) {
  expect("CLOBBER_S0", Outcome::kCrashed, "s0");
}
TEST_F(Misbehaviour, ShiftedStackPointer_IsCaught) { expect("SHIFT_SP", Outcome::kCrashed, "sp"); }
TEST_F(Misbehaviour, ChangedInput_IsCaught) {
  expect("CHANGE_INPUT", Outcome::kCrashed, "argument 0 was changed at byte 9");
}
TEST_F(Misbehaviour, ChangedWeight_IsCaught) {
  expect("CHANGE_WEIGHT", Outcome::kCrashed, "argument 1 was changed at byte 69");
}
TEST_F(Misbehaviour, ChangedAndRestoredInput_IsCaught) {
  expect("CHANGE_AND_RESTORE_INPUT", Outcome::kCrashed, "write of 1 byte");
}
TEST_F(Misbehaviour, OneWrongByte_IsWrongOutputWithItsPlace) {
  expect("WRONG_BYTE", Outcome::kWrongOutput, "case random: byte 3 is ");
}
TEST_F(Misbehaviour, ByteNeverWritten_IsWrongOutput) {
  expect("MISSING_BYTE", Outcome::kWrongOutput, "byte 6 is ");
}
TEST_F(Misbehaviour, SumThatOverflowsOnExtremesOnly_IsWrongOutputOnASaturatingCase) {
  expect("NARROW_SUM", Outcome::kWrongOutput, "saturating");
}
TEST_F(Misbehaviour, MisalignedAccess_IsCaught) {
  expect("MISALIGNED", Outcome::kCrashed, "misaligned");
}
TEST_F(Misbehaviour, EndlessLoop_IsARunTimeout) {
  expect("ENDLESS", Outcome::kRunTimeout, "instruction");
}
TEST_F(Misbehaviour, InstructionTheDeviceLacks_IsCaught) {
  expect("ILLEGAL", Outcome::kCrashed, "case random");
}
TEST_F(Misbehaviour, JumpIntoNothing_IsCaught) {
  expect("JUMP_AWAY", Outcome::kCrashed, "jump to 0x60000000");
}

}  // namespace
}  // namespace tinytune
