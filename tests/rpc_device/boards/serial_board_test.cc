// The runner's real firmware on QEMU's machines, behind a serial line.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "measure/runner.h"
#include "rpc_device/boards/firmware/firmware.h"
#include "rpc_device/boards/open_board.h"
#include "simulator/elf_file.h"
#include "tests/measure/dense_task.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune::test {
namespace {

std::unique_ptr<Board> open(const QemuWithRunner& qemu) {
  const BoardAddress address = parse_board_address(qemu.address()).value();
  auto board = open_board(address, load_device(address.device).value());
  EXPECT_TRUE(board) << board.error().message();
  return board ? std::move(*board) : nullptr;
}

MeasureResult run(Board& board, const BuiltKernel& kernel, const TaskData& task,
                  const MeasureLimits& limits = {}) {
  auto run = run_with_resets(board, kernel, task, limits);
  EXPECT_TRUE(run) << run.error().message();
  return run ? run->result : MeasureResult{};
}

class RunnerOn : public testing::TestWithParam<const QemuMachine*> {
 protected:
  Device device_ = load_device(GetParam()->device).value();
  BoardFacts facts_ = load_board_facts(GetParam()->device).value();
};

std::string name_of_machine(const testing::TestParamInfo<const QemuMachine*>& machine) {
  std::string name = machine.param->device;
  std::erase(name, '-');
  return name;
}

TEST_P(RunnerOn, Firmware_TakesAtMost8KiB) {
  const auto elf = build_firmware(device_, facts_);
  if (!elf && elf.error().code() == ErrorCode::kNotFound) GTEST_SKIP() << elf.error().message();
  ASSERT_TRUE(elf) << elf.error().message();
  const ElfFile file = ElfFile::open(*elf, device_.target.family).value();
  uint32_t bytes = 0;
  for (const Elf32_Phdr& segment : file.segments())
    if (segment.p_type == PT_LOAD) bytes += segment.p_filesz;
  EXPECT_GT(bytes, 2'000u);
  EXPECT_LE(bytes, 8'192u);
}

TEST_P(RunnerOn, MemoryOfTheRunner_IsRefused) {
  START_RUNNER_OR_SKIP(qemu, *GetParam());
  const auto core = open_core(parse_board_address(qemu->address()).value(), device_);
  ASSERT_TRUE(core) << core.error().message();
  const std::vector<uint8_t> bytes(16);
  for (const uint32_t address : {facts_.runner->code_address, facts_.runner->ram_address, ~15u})
    EXPECT_EQ((*core)->write(address, bytes).error().code(), ErrorCode::kInvalidInput) << address;
  EXPECT_TRUE((*core)->write(device_.memory(device_.data_memory).address, bytes));
}

TEST_P(RunnerOn, ContentsAndDigests_AreMadeOnTheBoardAsOnTheHost) {
  START_RUNNER_OR_SKIP(qemu, *GetParam());
  const auto core = open_core(parse_board_address(qemu->address()).value(), device_);
  ASSERT_TRUE(core) << core.error().message();
  const uint32_t address = device_.memory(device_.data_memory).address;
  for (const uint32_t size : {1u, 232u, 233u, 1016u, 1017u, 1400u, 5000u}) {
    for (const Contents& contents : {Contents::random_from(99), Contents::filled_with(0xC0)}) {
      ASSERT_TRUE((*core)->fill(address, size, contents));
      EXPECT_EQ((*core)->read(address, size).value(), bytes_of(contents, size)) << size;
      EXPECT_EQ((*core)->digest(address, size).value(), digest_of(bytes_of(contents, size)))
          << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RunnerOn, testing::Values(&riscv_virt()), name_of_machine);

TEST(SerialBoard, KernelsThatMisbehave_AreOutcomesAndTheNextOneIsNotHurt) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  const auto board = open(*qemu);
  ASSERT_NE(board, nullptr);
  MeasureLimits limits;
  limits.run_cycles = 5'000'000;
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

TEST(SerialBoard, BoardThatLostItsPower_IsLostAndThenAsNew) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  const auto board = open(*qemu);
  ASSERT_NE(board, nullptr);
  const BuiltKernel kernel = dense_kernel("NONE", board->device());
  EXPECT_EQ(run(*board, kernel, dense_task()).outcome, Outcome::kOk);
  qemu->reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto lost = run_candidate(*board, kernel, dense_task(), {});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), ErrorCode::kDeviceLost) << lost.error().message();
  ASSERT_TRUE(board->reset());
  EXPECT_EQ(run(*board, kernel, dense_task()).outcome, Outcome::kOk);
}

}  // namespace
}  // namespace tinytune::test
