// How many trials a second a board takes: candidates of a model's tasks, built beforehand, each run
// and verified through the runner on a serial line of 921,600 baud and through a GDB server. The
// board is QEMU's machine virt. Fails where a candidate is not exact, or where a byte is written to
// anything but RAM. Usage: board_rate MODEL.tflite [CANDIDATES]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "bench/boards/watched_core.h"
#include "deploy/layouts.h"
#include "deploy/model_state.h"
#include "measure/builder.h"
#include "measure/runner.h"
#include "measure/test_cases.h"
#include "rpc_device/boards/open_board.h"
#include "rpc_device/boards/remote_board.h"
#include "templates/kernel_template.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune {
namespace {

constexpr uint32_t kBaud = 921'600;

struct Candidate {
  size_t task = 0;
  BuiltKernel kernel;
};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "board_rate: %s\n", why.c_str());
  std::exit(1);
}

template <typename T>
T must(Result<T> result) {
  if (!result) fail(result.error().message());
  return std::move(result).value();
}

std::vector<Candidate> build(const Device& device, std::span<const TaskData> tasks, size_t count) {
  Builder builder = must(Builder::start(device));
  std::vector<Candidate> candidates;
  for (size_t i = 0; candidates.size() < count; ++i) {
    const size_t task = i * tasks.size() / count % tasks.size();
    const ConfigSpace space = space_of(tasks[task].workload, device);
    const BuildReport built =
        must(builder.build(tasks[task], space.schedule(i * 17 % space.size()), {}));
    if (built.outcome == Outcome::kOk) candidates.push_back({task, built.kernel});
  }
  return candidates;
}

void measure(const char* name, const std::string& place, const Device& device,
             std::span<const TaskData> tasks, std::span<const Candidate> candidates) {
  const BoardAddress address = must(parse_board_address(place));
  WriteCounts written;
  RemoteBoard board(device,
                    std::make_unique<WatchedCore>(must(open_core(address, device)), device,
                                                  must(load_board_facts(address.device)), written));
  const auto start = std::chrono::steady_clock::now();
  size_t right = 0;
  for (const Candidate& candidate : candidates) {
    const RunResult run = must(run_with_resets(board, candidate.kernel, tasks[candidate.task], {}));
    right += run.result.outcome == Outcome::kOk ? 1 : 0;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf(
      "%-22s %4zu candidates, %4zu exact, %5.1f trials a second, written: %5.1f KiB of RAM "
      "a trial, %llu bytes of anything else\n",
      name, candidates.size(), right, static_cast<double>(candidates.size()) / spent.count(),
      static_cast<double>(written.to_ram) / 1024 / static_cast<double>(candidates.size()),
      static_cast<unsigned long long>(written.elsewhere));
  if (right != candidates.size()) fail("a candidate is not exact on the board");
  if (written.elsewhere != 0) fail("something that is no RAM was written");
}

int run(const std::string& path, size_t count) {
  const Model model = must(Model::load(path, {}));
  const Device device = must(load_device(test::riscv_virt().device));
  std::vector<TaskData> tasks;
  for (const Task& task : tasks_in(model.state().tasks, LayoutPolicy::kNhwc))
    tasks.push_back(make_task_data(task.workload, task.data, 1));
  const std::vector<Candidate> candidates = build(device, tasks, count);
  if (const auto qemu = test::QemuWithRunner::start(test::riscv_virt(), kBaud))
    measure("serial, 921,600 baud", qemu->address(), device, tasks, candidates);
  if (const auto qemu = test::QemuWithGdb::start(test::riscv_virt()))
    measure("GDB server", qemu->address(), device, tasks, candidates);
  return 0;
}

}  // namespace
}  // namespace tinytune

int main(int argc, char** argv) {
  if (argc < 2) tinytune::fail("usage: board_rate MODEL.tflite [CANDIDATES]");
  return tinytune::run(argv[1], argc > 2 ? static_cast<size_t>(std::atoi(argv[2])) : 60);
}
