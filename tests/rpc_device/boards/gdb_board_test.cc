// Kernels on QEMU's machines through its GDB stub: the same bytes as in the simulator, and every
// failure is reported as what it is.
#include <gtest/gtest.h>

#include "rpc_device/boards/open_board.h"
#include "tests/measure/dense_task.h"
#include "tests/rpc_device/boards/board_runs.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune::test {
namespace {

TEST(GdbBoard, DenseKernelOnRiscv_IsRightAndCountsWhatTheSimulatorCounts) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  const auto board = open(qemu->address());
  ASSERT_NE(board, nullptr);
  const BuiltKernel kernel = dense_kernel("NONE", board->device());
  MeasureLimits limits;
  limits.repeats = 3;
  const MeasureResult measured = run(*board, kernel, dense_task(), limits);
  ASSERT_EQ(measured.outcome, Outcome::kOk) << measured.detail;
  EXPECT_EQ(measured.fidelity, Fidelity::kBoard);
  EXPECT_EQ(measured.source, qemu->address());
  const MeasureResult expected = simulated(kernel, dense_task(), board->device());
  EXPECT_EQ(measured.cycles, std::vector<uint64_t>(4, expected.cycles.at(0)));
}

TEST(GdbBoard, KernelsThatMisbehave_AreOutcomesAndTheNextOneIsNotHurt) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  const auto board = open(qemu->address());
  ASSERT_NE(board, nullptr);
  MeasureLimits limits;
  limits.run_ms = 300;
  const struct {
    const char* fault;
    Outcome outcome;
  } cases[] = {{"CLOBBER_S0", Outcome::kCrashed},     {"SHIFT_SP", Outcome::kCrashed},
               {"CHANGE_INPUT", Outcome::kCrashed},   {"CHANGE_WEIGHT", Outcome::kCrashed},
               {"WRONG_BYTE", Outcome::kWrongOutput}, {"MISSING_BYTE", Outcome::kWrongOutput},
               {"NARROW_SUM", Outcome::kWrongOutput}, {"ENDLESS", Outcome::kRunTimeout},
               {"ILLEGAL", Outcome::kCrashed},        {"JUMP_AWAY", Outcome::kCrashed}};
  for (const auto& [fault, outcome] : cases) {
    const MeasureResult result =
        run(*board, dense_kernel(fault, board->device()), dense_task(), limits);
    EXPECT_EQ(result.outcome, outcome) << fault << ": " << result.detail;
    const MeasureResult next = run(*board, dense_kernel("NONE", board->device()), dense_task());
    EXPECT_EQ(next.outcome, Outcome::kOk) << "after " << fault << ": " << next.detail;
  }
}

class GdbBoardOn : public testing::TestWithParam<const QemuMachine*> {};

TEST_P(GdbBoardOn, SchedulesOfAConvolution_GiveTheSimulatorsBytes) {
  START_QEMU_OR_SKIP(qemu, *GetParam());
  const auto board = open(qemu->address());
  ASSERT_NE(board, nullptr);
  // QEMU's clock jumps when it starts.
  expect_schedules_as_simulated(*GetParam(), *board, 1000);
}

INSTANTIATE_TEST_SUITE_P(Machines, GdbBoardOn,
                         testing::Values(&riscv_virt(), &mps2_an385(), &mps2_an386(), &mps2_an500(),
                                         &mps2_an505(), &netduinoplus2()),
                         [](const auto& machine) {
                           std::string name = machine.param->device;
                           std::erase(name, '-');
                           return name;
                         });

TEST(GdbBoard, CodeInFlash_IsRefusedBecauseFlashIsNeverWritten) {
  const auto board =
      open_board({"rp2040", "gdb", "127.0.0.1:1"}, in_flash(load_device("rp2040").value()));
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().code(), ErrorCode::kInvalidInput);
  EXPECT_NE(board.error().message().find("flash is never written"), std::string::npos)
      << board.error().message();
}

TEST(GdbBoard, NobodyThere_IsALostDeviceThatNamesTheAddress) {
  const auto board =
      open_board({"qemu-virt-rv32", "gdb", "127.0.0.1:1"}, load_device("qemu-virt-rv32").value());
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().code(), ErrorCode::kDeviceLost);
  EXPECT_NE(board.error().message().find("127.0.0.1:1"), std::string::npos);
}

TEST(BoardAddress, DeviceAlone_IsTheSimulator) {
  EXPECT_TRUE(parse_board_address("esp32c3").value().is_simulator());
  const BoardAddress address = parse_board_address("a/b@c.toml@gdb:[::1]:33").value();
  EXPECT_EQ(address.device, "a/b@c.toml");
  EXPECT_EQ(address.transport, "gdb");
  EXPECT_EQ(address.place, "[::1]:33");
}

TEST(BoardAddress, UnknownTransportOrNoPlace_IsRefusedWithWhatThereIs) {
  const auto unknown = parse_board_address("esp32c3@jtag:1");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(unknown.error().message().find("@gdb:HOST:PORT"), std::string::npos);
  for (const char* text : {"esp32c3@gdb", "esp32c3@gdb:"})
    EXPECT_EQ(parse_board_address(text).error().code(), ErrorCode::kInvalidInput) << text;
}

}  // namespace
}  // namespace tinytune::test
