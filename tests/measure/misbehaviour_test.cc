// Real code for a real instruction set, each kernel wrong in one way: all must be told apart from
// the right one.
#include <gtest/gtest.h>

#include <fstream>

#include "measure/measurer.h"
#include "measure/test_cases.h"
#include "rpc_device/simulator_board.h"

namespace tinytune {
namespace {

Workload dense_10_to_7() {
  Workload w;
  w.op = OpKind::kDense;
  w.in_c = 10;
  w.out_c = 7;
  w.input_zero_point = -3;
  w.output_zero_point = -5;
  return w;
}

// A scale of one: multiplier 2^30, shifted left by one. Sums need up to 17 bits.
LayerData constants() {
  LayerData data;
  for (int i = 0; i < 70; ++i)
    data.weights.push_back(static_cast<int8_t>((i * 37 + 11) % 256 - 128));
  data.weights[0] = 127;
  for (int o = 0; o < 7; ++o) data.bias.push_back(o * 40 - 120);
  data.multiplier.assign(7, 1 << 30);
  data.shift.assign(7, 1);
  return data;
}

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
    std::ifstream file(std::string(TEST_KERNEL_DIRECTORY) + "/" + fault + ".o", std::ios::binary);
    EXPECT_TRUE(file) << fault;
    const std::vector<std::vector<uint8_t>> objects = {
        {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}};
    auto image = link_image(objects, device_, "kernel");
    if (!image) {
      ADD_FAILURE() << image.error().message();
      return {};
    }
    const TaskData task = make_task_data(dense_10_to_7(), constants(), 1);
    LoadedKernel kernel;
    kernel.elf = image->elf;
    const auto* weights = reinterpret_cast<const uint8_t*>(task.data.weights.data());
    const auto* bias = reinterpret_cast<const uint8_t*>(task.data.bias.data());
    kernel.constants = {{"weights", 1, {weights, weights + 70}}, {"bias", 4, {bias, bias + 28}}};
    auto result = run_kernel(*board_, kernel, task, MeasureLimits{.instruction_limit = 1'000'000});
    if (!result) {
      ADD_FAILURE() << result.error().message();
      return {};
    }
    return *result;
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
  // Unguarded, this byte is the bias's.
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
