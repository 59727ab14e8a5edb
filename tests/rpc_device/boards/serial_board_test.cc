// The runner's real firmware on QEMU's machines, behind a serial line.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "measure/builder.h"
#include "measure/runner.h"
#include "rpc_device/boards/firmware/firmware.h"
#include "rpc_device/boards/open_board.h"
#include "rpc_device/boards/power.h"
#include "rpc_device/boards/remote_board.h"
#include "rpc_device/boards/serial/serial_core.h"
#include "simulator/elf_file.h"
#include "templates/kernel_template.h"
#include "tests/measure/dense_task.h"
#include "tests/measure/small_task.h"
#include "tests/rpc_device/boards/board_runs.h"
#include "tests/rpc_device/boards/counted_link.h"
#include "tests/rpc_device/boards/faulty_link.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune::test {
namespace {

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

TEST(Firmware, OfEveryDeviceWithARunnerOfItsOwn_TakesAtMost8KiB) {
  for (const std::string& name : known_devices()) {
    const Device device = load_device(name).value();
    const auto facts = load_board_facts(name);
    if (!facts || !facts->runner || device.target.family == CoreFamily::kAnyC) continue;
    const auto elf = build_firmware(device, *facts);
    if (!elf && elf.error().code() == ErrorCode::kNotFound) GTEST_SKIP() << elf.error().message();
    ASSERT_TRUE(elf) << name << ": " << elf.error().message();
    const ElfFile file = ElfFile::open(*elf, device.target.family).value();
    uint32_t bytes = 0;
    for (const Elf32_Phdr& segment : file.segments())
      if (segment.p_type == PT_LOAD) bytes += segment.p_filesz;
    EXPECT_GT(bytes, 2'000u) << name;
    EXPECT_LE(bytes, 8'192u) << name;
  }
}

TEST_P(RunnerOn, SchedulesOfAConvolution_GiveTheSimulatorsBytesAndCounts) {
  START_RUNNER_OR_SKIP(qemu, *GetParam());
  const auto board = open(qemu->address());
  ASSERT_NE(board, nullptr);
  expect_schedules_as_simulated(*GetParam(), *board, 3);
}

TEST_P(RunnerOn, Copy_IsMadeOnTheBoardAndNeverIntoTheRunner) {
  START_RUNNER_OR_SKIP(qemu, *GetParam());
  const auto core = open_core(parse_board_address(qemu->address()).value(), device_);
  ASSERT_TRUE(core) << core.error().message();
  const uint32_t data = device_.memory(device_.data_memory).address;
  ASSERT_TRUE((*core)->fill(data, 1000, Contents::random_from(7)));
  ASSERT_TRUE((*core)->copy(data, data + 4001, 1000));
  EXPECT_EQ((*core)->read(data + 4001, 1000).value(), bytes_of(Contents::random_from(7), 1000));
  for (const auto& [from, to] :
       {std::pair{data, facts_.runner->ram_address}, std::pair{facts_.runner->ram_address, data}}) {
    ASSERT_TRUE((*core)->copy(from, to, 16));  // refused with the next request
    EXPECT_EQ((*core)->read(data, 16).error().code(), ErrorCode::kInvalidInput) << to;
  }
}

TEST_P(RunnerOn, MemoryOfTheRunner_IsRefused) {
  START_RUNNER_OR_SKIP(qemu, *GetParam());
  const auto core = open_core(parse_board_address(qemu->address()).value(), device_);
  ASSERT_TRUE(core) << core.error().message();
  const std::vector<uint8_t> bytes(16);
  const uint32_t data = device_.memory(device_.data_memory).address;
  for (const uint32_t address : {facts_.runner->code_address, facts_.runner->ram_address, ~15u}) {
    ASSERT_TRUE((*core)->write(address, bytes));  // refused with the next request
    EXPECT_EQ((*core)->read(data, 16).error().code(), ErrorCode::kInvalidInput) << address;
  }
  ASSERT_TRUE((*core)->write(data, bytes));
  EXPECT_EQ((*core)->read(data, 16).value(), bytes);
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
      const std::array range = {AddressRange{address, size}};
      EXPECT_EQ((*core)->digests(range).value().front(), digest_of(bytes_of(contents, size)))
          << size;
    }
  }
}

// Functions of a few instructions that do one thing, on each core.
TEST_P(RunnerOn, Calls_EndAsTheyShouldAndTheNextOneIsNotHurt) {
  START_RUNNER_OR_SKIP(qemu, *GetParam());
  const auto core = open_core(parse_board_address(qemu->address()).value(), device_);
  ASSERT_TRUE(core) << core.error().message();
  const bool riscv = device_.target.family == CoreFamily::kRiscv32;
  using Halfwords = std::vector<uint16_t>;
  const Halfwords returns = riscv ? Halfwords{0x8082} : Halfwords{0x4770};
  const struct {
    const char* what;
    Halfwords riscv, thumb;
    RunEnd end;
    bool restored;
  } cases[] = {
      {"a register changed", {0x4401, 0x8082}, {0x2400, 0x4770}, RunEnd::kReturned, false},
      {"an endless loop", {0x006F, 0x0000}, {0xE7FE}, RunEnd::kCycleLimit, true},
      {"no instruction", {0x0000}, {0xDE00}, RunEnd::kFault, true},
      {"a jump to 0", {0x0067, 0x0000}, {0x2000, 0x4700}, RunEnd::kFault, true},
      {"a stack at 0", {0x4101, 0x2823, 0xFE21}, {0x2000, 0x4685, 0xB401}, RunEnd::kFault, true}};
  CoreCall call;
  call.function = device_.memory(device_.kernel_memory()).address;
  call.limits.cycles = 2'000'000;
  const auto run = [&](const Halfwords& code) {
    std::vector<uint8_t> bytes;
    for (const uint16_t word : code) {
      bytes.push_back(static_cast<uint8_t>(word));
      bytes.push_back(static_cast<uint8_t>(word >> 8));
    }
    EXPECT_TRUE((*core)->write(call.function, bytes));
    return (*core)->call(call).value();
  };
  const CoreReturn first = run(returns);
  ASSERT_EQ(first.end, RunEnd::kReturned) << first.detail;
  EXPECT_LE(first.cycles, 4u);
  for (const auto& one : cases) {
    const CoreReturn done = run(riscv ? one.riscv : one.thumb);
    EXPECT_EQ(done.end, one.end) << one.what << ": " << done.detail;
    EXPECT_EQ(done.registers_restored, one.restored) << one.what;
    const CoreReturn next = run(returns);
    EXPECT_EQ(next.end, RunEnd::kReturned) << "after " << one.what << ": " << next.detail;
    EXPECT_TRUE(next.registers_restored) << "after " << one.what;
    EXPECT_NEAR(static_cast<double>(next.cycles), static_cast<double>(first.cycles), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RunnerOn,
                         testing::Values(&riscv_virt(), &mps2_an385(), &mps2_an386(), &mps2_an500(),
                                         &mps2_an505(), &netduinoplus2()),
                         name_of_machine);

TEST(SerialBoard, KernelsThatMisbehave_AreOutcomesAndTheNextOneIsNotHurt) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  const auto board = open(qemu->address());
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

// A board whose memory and whose traffic on the line are accessible to the test.
struct OpenedBoard {
  LinkCounts counts;
  SerialCore* core = nullptr;
  std::unique_ptr<RemoteBoard> board;
};

void open_counted(const QemuWithRunner& qemu, OpenedBoard& opened) {
  const Device device = load_device("qemu-virt-rv32").value();
  auto core = SerialCore::open(
      device,
      [&opened, path = qemu.path()]() -> Result<std::unique_ptr<ByteLink>> {
        TT_TRY_ASSIGN(auto link, open_serial_link(path, 921'600));
        return std::unique_ptr<ByteLink>(
            std::make_unique<CountedLink>(std::move(link), opened.counts));
      },
      "counted");
  ASSERT_TRUE(core) << core.error().message();
  opened.core = core->get();
  opened.board = std::make_unique<RemoteBoard>(device, std::move(*core));
}

TEST(SerialBoard, ConstantsAndInputs_CrossTheLineOnce) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  OpenedBoard opened;
  ASSERT_NO_FATAL_FAILURE(open_counted(*qemu, opened));
  Builder builder = Builder::start(opened.board->device()).value();
  const TaskData task = small_conv_task();
  const ConfigSpace space = space_of(task.workload, task.data, opened.board->device());
  const auto built = builder.build(task, space.schedule(0), {});
  ASSERT_TRUE(built) << built.error().message();
  const auto bytes_of_run = [&](const BuiltKernel& kernel, const TaskData& of) {
    const uint64_t before = opened.counts.sent;
    EXPECT_EQ(run(*opened.board, kernel, of).outcome, Outcome::kOk);
    return opened.counts.sent - before;
  };
  const uint64_t first = bytes_of_run(built->kernel, task);
  bytes_of_run(dense_kernel("NONE", opened.board->device()), dense_task());
  uint64_t kept = 0;  // bytes of constants, which the dense kernel has overwritten since
  for (const PackedConstant& constant : built->kernel.constants)
    if (constant.bytes.size() >= 64) kept += constant.bytes.size();
  ASSERT_GT(kept, 300u);
  EXPECT_LT(bytes_of_run(built->kernel, task) + kept / 2, first);
}

TEST(SerialBoard, CasesOfAKernel_AreOneRequest) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  OpenedBoard opened;
  ASSERT_NO_FATAL_FAILURE(open_counted(*qemu, opened));
  const auto requests = [&] { return opened.counts.requests - opened.core->repeated(); };
  const uint64_t before = requests();
  const MeasureResult result =
      run(*opened.board, dense_kernel("NONE", opened.board->device()), dense_task());
  ASSERT_EQ(result.outcome, Outcome::kOk) << result.detail;
  EXPECT_EQ(requests() - before, 3u) << "the kernel, its first call, all cases";
}

TEST(SerialBoard, WhatAnotherKernelStoredOnTheShelf_IsNotHeldAgainstTheNext) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  OpenedBoard opened;
  ASSERT_NO_FATAL_FAILURE(open_counted(*qemu, opened));
  const Device& device = opened.board->device();
  Builder builder = Builder::start(device).value();
  const TaskData task = small_conv_task();
  const auto built =
      builder.build(task, space_of(task.workload, task.data, device).schedule(0), {});
  ASSERT_TRUE(built) << built.error().message();
  EXPECT_EQ(run(*opened.board, built->kernel, task).outcome, Outcome::kOk);
  constexpr uint32_t kEnd = 64 << 10;  // bytes at the end of the data memory: the shelf is there
  const MemoryRegion& data = device.memory(device.data_memory);
  ASSERT_TRUE(
      opened.core->fill(data.address + data.size_bytes - kEnd, kEnd, Contents::filled_with(0x55)));
  const MeasureResult next = run(*opened.board, built->kernel, task);
  EXPECT_EQ(next.outcome, Outcome::kOk) << next.detail;
  const MeasureResult guilty =
      run(*opened.board, dense_kernel("CHANGE_WEIGHT", device), dense_task());
  EXPECT_EQ(guilty.outcome, Outcome::kCrashed) << guilty.detail;
}

TEST(SerialBoard, BoardThatLostItsPower_IsLostAndThenAsNew) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  const auto board = open(qemu->address());
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

// The board is a stopped process, and its power switch resumes it.
class PowerSwitch : public testing::Test {
 protected:
  static std::unique_ptr<RemoteBoard> open(const QemuWithRunner& qemu, const std::string& command) {
    const Device device = load_device("qemu-virt-rv32").value();
    SerialOptions options;
    options.patience = std::chrono::milliseconds(1'000);
    auto core = SerialCore::open(
        device, [path = qemu.path()] { return open_serial_link(path, 921'600); }, "frozen",
        options);
    EXPECT_TRUE(core) << core.error().message();
    return core ? std::make_unique<RemoteBoard>(device, std::move(*core), command) : nullptr;
  }
  static std::string kill(const char* signal, const QemuWithRunner& qemu) {
    return std::string("kill -") + signal + " " + std::to_string(qemu.pid());
  }
};

TEST_F(PowerSwitch, BoardThatNoResetWakes_IsSwitchedOffAndOn) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  const auto board = open(*qemu, kill("CONT", *qemu));
  ASSERT_NE(board, nullptr);
  ASSERT_TRUE(switch_off_and_on(kill("STOP", *qemu)));
  const Status woken = board->reset();
  EXPECT_TRUE(woken) << woken.error().message();
  EXPECT_EQ(run(*board, dense_kernel("NONE", board->device()), dense_task()).outcome, Outcome::kOk);
}

TEST_F(PowerSwitch, SwitchThatFails_IsTheReasonThatIsTold) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  const auto board = open(*qemu, "echo no such hub >&2; exit 3");
  ASSERT_NE(board, nullptr);
  ASSERT_TRUE(switch_off_and_on(kill("STOP", *qemu)));
  const Status lost = board->reset();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), ErrorCode::kDeviceLost);
  EXPECT_NE(lost.error().message().find("ends with 3: no such hub"), std::string::npos)
      << lost.error().message();
  EXPECT_TRUE(switch_off_and_on(kill("CONT", *qemu)));
}

// Repeating a request before its answer can have arrived only queues more bytes before the answer.
TEST(SerialBoard, LineSlowerThanItsRate_IsWaitedFor) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt(), 57'600);
  const Device device = load_device("qemu-virt-rv32").value();
  SerialOptions options;
  options.reply_timeout = std::chrono::milliseconds(60);
  auto core = SerialCore::open(
      device, [&] { return open_serial_link(qemu->path(), 921'600); }, "slow", options);
  ASSERT_TRUE(core) << core.error().message();
  const std::vector<uint8_t> bytes = bytes_of(Contents::random_from(1), 4'000);
  const uint32_t address = device.memory(device.data_memory).address;
  ASSERT_TRUE((*core)->write(address, bytes));
  EXPECT_EQ((*core)->read(address, 4'000).value(), bytes);
  EXPECT_LT((*core)->repeated(), 12u) << "of 5 requests";
}

// Every line fault strikes one frame in ten and every power fault one trial in four; the parameter
// is the seed.
class FaultyLine : public testing::TestWithParam<uint64_t> {};

TEST_P(FaultyLine, Measurements_AreWhatTheyAreOnAGoodOne) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  const Device device = load_device("qemu-virt-rv32").value();
  const auto faults = std::make_shared<Faults>(GetParam());
  SerialOptions options;
  options.reply_timeout = std::chrono::milliseconds(60);
  auto core = SerialCore::open(
      device,
      [&]() -> Result<std::unique_ptr<ByteLink>> {
        TT_TRY_ASSIGN(auto link, open_serial_link(qemu->path(), 921'600));
        return std::unique_ptr<ByteLink>(std::make_unique<FaultyLink>(std::move(link), faults));
      },
      "faulty", options);
  ASSERT_TRUE(core) << core.error().message();
  RemoteBoard board(device, std::move(*core));
  faults->line_rate = 0.1;
  faults->power_rate = 0.25;
  faults->reset_board = [&] { qemu->reset(); };
  const MeasureResult expected = simulated(dense_kernel("NONE", device), dense_task(), device);
  const struct {
    const char* fault;
    Outcome outcome;
  } kernels[] = {{"NONE", Outcome::kOk},
                 {"WRONG_BYTE", Outcome::kWrongOutput},
                 {"ILLEGAL", Outcome::kCrashed},
                 {"DEEP_STACK", Outcome::kOk}};
  for (int trial = 0; trial < 16; ++trial) {
    faults->begin_trial();
    const auto& [fault, outcome] = kernels[trial % 4];
    const MeasureResult result = run(board, dense_kernel(fault, device), dense_task());
    ASSERT_EQ(result.outcome, outcome) << "trial " << trial << ": " << result.detail;
    if (std::string(fault) == "NONE") {
      ASSERT_EQ(result.cycles, std::vector<uint64_t>(2, expected.cycles.at(0)));
    }
  }
  EXPECT_GT(faults->dropped + faults->doubled + faults->damaged + faults->garbage + faults->silent,
            8u);
  EXPECT_GT(faults->resets + faults->brown_outs, 1u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FaultyLine, testing::Range<uint64_t>(1, 3));

}  // namespace
}  // namespace tinytune::test
