#include "tests/rpc_device/boards/board_runs.h"

#include <algorithm>

#include "measure/builder.h"
#include "measure/runner.h"
#include "rpc_device/boards/open_board.h"
#include "templates/kernel_template.h"
#include "tests/measure/small_task.h"

namespace tinytune::test {

std::unique_ptr<Board> open(const std::string& address) {
  const BoardAddress parsed = parse_board_address(address).value();
  auto board = open_board(parsed, load_device(parsed.device).value());
  EXPECT_TRUE(board) << board.error().message();
  return board ? std::move(*board) : nullptr;
}

MeasureResult run(Board& board, const BuiltKernel& kernel, const TaskData& task,
                  const MeasureLimits& limits) {
  auto run = run_with_resets(board, kernel, task, limits);
  EXPECT_TRUE(run) << run.error().message();
  return run ? run->result : MeasureResult{};
}

MeasureResult simulated(const BuiltKernel& kernel, const TaskData& task, const Device& device) {
  return run(*open_board({device.name, "", ""}, device).value(), kernel, task);
}

void expect_schedules_as_simulated(const QemuMachine& machine, Board& board, double ticks) {
  const Device device = load_device(machine.device).value();
  Builder builder = Builder::start(device).value();
  const TaskData task = small_conv_task();
  const ConfigSpace space = space_of(task.workload, task.data, device);
  // Resuming an Arm machine may add host time to QEMU's clock but never takes any away, so the
  // shortest of several runs is the kernel's.
  MeasureLimits limits;
  limits.repeats = 8;
  for (size_t point = 0; point < space.size(); point += space.size() / 6) {
    const auto built = builder.build(task, space.schedule(point), {});
    ASSERT_TRUE(built) << built.error().message();
    ASSERT_EQ(built->outcome, Outcome::kOk) << built->detail;
    const MeasureResult measured = run(board, built->kernel, task, limits);
    EXPECT_EQ(measured.outcome, Outcome::kOk) << measured.detail;
    ASSERT_GE(measured.cycles.size(), 8u);
    const uint64_t shortest = *std::ranges::min_element(measured.cycles);
    const uint64_t expected = simulated(built->kernel, task, device).cycles[0];
    if (device.target.family == CoreFamily::kRiscv32)
      EXPECT_EQ(shortest, expected) << to_text(space.schedule(point));
    else
      EXPECT_NEAR(static_cast<double>(shortest),
                  machine.ticks_an_instruction * static_cast<double>(expected), ticks);
  }
}

}  // namespace tinytune::test
