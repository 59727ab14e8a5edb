// Kernels on QEMU's machines through its GDB stub: the same bytes as in the simulator, and what
// goes wrong is known as what it is.
#include <gtest/gtest.h>

#include "measure/builder.h"
#include "measure/runner.h"
#include "rpc_device/boards/open_board.h"
#include "tests/measure/dense_task.h"
#include "tests/measure/small_task.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune::test {
namespace {

std::unique_ptr<Board> open(const QemuWithGdb& qemu) {
  const BoardAddress address = parse_board_address(qemu.address()).value();
  auto board = open_board(address, load_device(address.device).value());
  EXPECT_TRUE(board) << board.error().message();
  return board ? std::move(*board) : nullptr;
}

MeasureResult run(Board& board, const BuiltKernel& kernel, const TaskData& task,
                  const MeasureLimits& limits = {}) {
  auto run = run_candidate(board, kernel, task, limits);
  EXPECT_TRUE(run) << run.error().message();
  return run ? run->result : MeasureResult{};
}

MeasureResult simulated(const BuiltKernel& kernel, const TaskData& task, const Device& device) {
  return run(*open_board({device.name, "", ""}, device).value(), kernel, task);
}

TEST(GdbBoard, DenseKernelOnRiscv_IsRightAndCountsWhatTheSimulatorCounts) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  const auto board = open(*qemu);
  ASSERT_NE(board, nullptr);
  const BuiltKernel kernel = dense_kernel("NONE", board->device());
  MeasureLimits limits;
  limits.repeats = 3;
  const MeasureResult measured = run(*board, kernel, dense_task(), limits);
  ASSERT_EQ(measured.outcome, Outcome::kOk) << measured.detail;
  EXPECT_EQ(measured.fidelity, Fidelity::kBoard);
  EXPECT_EQ(measured.source, qemu->address());
  const MeasureResult expected = simulated(kernel, dense_task(), board->device());
  EXPECT_EQ(measured.cycles, std::vector<uint64_t>(3, expected.cycles.at(0)));
}

TEST(GdbBoard, KernelsThatMisbehave_AreOutcomesAndTheNextOneIsNotHurt) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  const auto board = open(*qemu);
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
  const Device device = load_device(qemu->address().substr(0, qemu->address().find('@'))).value();
  Builder builder = Builder::start(device).value();
  const auto board = open(*qemu);
  ASSERT_NE(board, nullptr);
  const TaskData task = small_conv_task();
  const ConfigSpace space = space_of(task.workload, device);
  for (size_t point = 0; point < space.size(); point += space.size() / 6) {
    const auto built = builder.build(task, space.schedule(point), {});
    ASSERT_TRUE(built) << built.error().message();
    ASSERT_EQ(built->outcome, Outcome::kOk) << built->detail;
    const MeasureResult measured = run(*board, built->kernel, task);
    EXPECT_EQ(measured.outcome, Outcome::kOk) << measured.detail;
    const MeasureResult expected = simulated(built->kernel, task, device);
    ASSERT_EQ(measured.cycles.size(), 1u);
    if (device.target.family == CoreFamily::kRiscv32)
      EXPECT_EQ(measured.cycles, expected.cycles) << to_text(space.schedule(point));
    else  // ticks of 40 ns, instructions of 32, and what QEMU's clock jumps when it starts
      EXPECT_NEAR(static_cast<double>(measured.cycles[0]), 0.8 * expected.cycles[0], 1000);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, GdbBoardOn, testing::Values(&riscv_virt(), &mps2_an386()),
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
