// How many trials a second a board takes: candidates of a model's tasks, built beforehand, each run
// and verified through the runner on a serial line of 921,600 baud and through a GDB server. The
// board is QEMU's machine virt. Fails where a candidate is not exact, or where a byte is written to
// anything but RAM. Usage: board_rate MODEL.tflite [CANDIDATES]
#include <chrono>
#include <functional>

#include "bench/boards/candidates.h"
#include "bench/boards/watched_core.h"
#include "measure/runner.h"
#include "rpc_device/boards/gdb/gdb_core.h"
#include "rpc_device/boards/remote_board.h"
#include "rpc_device/boards/serial/serial_core.h"
#include "tests/rpc_device/boards/counted_link.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune {
namespace {

using OpenLink = std::function<Result<std::unique_ptr<ByteLink>>()>;
using OpenCore = std::function<std::unique_ptr<RemoteCore>(OpenLink)>;

void measure(const char* name, const OpenLink& open_link, const OpenCore& open_core,
             const Device& device, const BoardFacts& facts, const Candidates& candidates) {
  test::LinkCounts link;
  auto core = open_core([&]() -> Result<std::unique_ptr<ByteLink>> {
    TT_TRY_ASSIGN(auto opened, open_link());
    return std::unique_ptr<ByteLink>(std::make_unique<test::CountedLink>(std::move(opened), link));
  });
  WriteCounts written;
  RemoteBoard board(device, std::make_unique<WatchedCore>(std::move(core), device, facts, written));
  const auto start = std::chrono::steady_clock::now();
  const size_t count = candidates.list.size();
  size_t right = 0;
  for (const Candidate& candidate : candidates.list) {
    const RunResult run =
        must(run_with_resets(board, candidate.kernel, candidates.tasks[candidate.task], {}));
    right += run.result.outcome == Outcome::kOk ? 1 : 0;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  const auto a_trial = [&](uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(count);
  };
  std::printf(
      "%-22s %4zu candidates, %4zu exact, %5.1f trials a second; a trial: %.0f bytes sent, %.0f "
      "received, %.1f KiB of RAM written; %llu bytes of anything else\n",
      name, count, right, static_cast<double>(count) / spent.count(), a_trial(link.sent),
      a_trial(link.received), a_trial(written.to_ram) / 1024,
      static_cast<unsigned long long>(written.elsewhere));
  if (right != count) fail("a candidate is not exact on the board");
  if (written.elsewhere != 0) fail("something that is no RAM was written");
}

int run(const std::string& path, size_t count) {
  const Device device = must(load_device(test::riscv_virt().device));
  const Candidates candidates = build_candidates(path, device, count);
  const BoardFacts facts = must(load_board_facts(device.name));
  if (const auto qemu = test::QemuWithRunner::start(test::riscv_virt(), kBaud))
    measure(
        "serial, 921,600 baud", [&] { return open_serial_link(qemu->path(), kBaud); },
        [&](OpenLink open) { return must(SerialCore::open(device, std::move(open), "rate")); },
        device, facts, candidates);
  if (const auto qemu = test::QemuWithGdb::start(test::riscv_virt()))
    measure(
        "GDB server", [&] { return open_tcp_link(qemu->place(), std::chrono::seconds(5)); },
        [&](OpenLink open) { return must(open_gdb_core(device, facts, std::move(open), "rate")); },
        device, facts, candidates);
  return 0;
}

}  // namespace
}  // namespace tinytune

int main(int argc, char** argv) {
  if (argc < 2) tinytune::fail("usage: board_rate MODEL.tflite [CANDIDATES]");
  return tinytune::run(argv[1], argc > 2 ? static_cast<size_t>(std::atoi(argv[2])) : 60);
}
