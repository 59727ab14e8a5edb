// How many trials a second a board takes: candidates of a model's tasks, built beforehand, each run
// and verified through the runner on a serial line of 921,600 baud and through a GDB server. The
// board is QEMU's machine virt. Fails where a candidate is not exact, or where a byte is written to
// anything but RAM. Usage: board_rate MODEL.tflite [CANDIDATES]
#include <chrono>

#include "bench/boards/candidates.h"
#include "bench/boards/watched_core.h"
#include "measure/runner.h"
#include "rpc_device/boards/open_board.h"
#include "rpc_device/boards/remote_board.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune {
namespace {

void measure(const char* name, const std::string& place, const Device& device,
             const Candidates& candidates) {
  const BoardAddress address = must(parse_board_address(place));
  WriteCounts written;
  RemoteBoard board(device,
                    std::make_unique<WatchedCore>(must(open_core(address, device)), device,
                                                  must(load_board_facts(address.device)), written));
  const auto start = std::chrono::steady_clock::now();
  const size_t count = candidates.list.size();
  size_t right = 0;
  for (const Candidate& candidate : candidates.list) {
    const RunResult run =
        must(run_with_resets(board, candidate.kernel, candidates.tasks[candidate.task], {}));
    right += run.result.outcome == Outcome::kOk ? 1 : 0;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf(
      "%-22s %4zu candidates, %4zu exact, %5.1f trials a second, written: %5.1f KiB of RAM "
      "a trial, %llu bytes of anything else\n",
      name, count, right, static_cast<double>(count) / spent.count(),
      static_cast<double>(written.to_ram) / 1024 / static_cast<double>(count),
      static_cast<unsigned long long>(written.elsewhere));
  if (right != count) fail("a candidate is not exact on the board");
  if (written.elsewhere != 0) fail("something that is no RAM was written");
}

int run(const std::string& path, size_t count) {
  const Device device = must(load_device(test::riscv_virt().device));
  const Candidates candidates = build_candidates(path, device, count);
  if (const auto qemu = test::QemuWithRunner::start(test::riscv_virt(), kBaud))
    measure("serial, 921,600 baud", qemu->address(), device, candidates);
  if (const auto qemu = test::QemuWithGdb::start(test::riscv_virt()))
    measure("GDB server", qemu->address(), device, candidates);
  return 0;
}

}  // namespace
}  // namespace tinytune

int main(int argc, char** argv) {
  if (argc < 2) tinytune::fail("usage: board_rate MODEL.tflite [CANDIDATES]");
  return tinytune::run(argv[1], argc > 2 ? static_cast<size_t>(std::atoi(argv[2])) : 60);
}
