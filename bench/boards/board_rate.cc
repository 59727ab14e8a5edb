// How many trials a second a board makes: candidates of a model's tasks, built beforehand, are run
// and verified through the runner on a serial line of 921,600 baud, through the same without a
// limit (which leaves the time besides transfer), and through a GDB server. The board is QEMU's
// machine virt. Fails if a candidate is not exact, or if a byte is written to anything but RAM.
// Usage: board_rate MODEL.tflite [CANDIDATES]
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include "bench/boards/watched_core.h"
#include "measure/runner.h"
#include "rpc_device/boards/gdb/gdb_core.h"
#include "rpc_device/boards/remote_board.h"
#include "rpc_device/boards/serial/serial_core.h"
#include "tests/rpc_device/boards/counted_link.h"
#include "tests/rpc_device/boards/qemu.h"
#include "tests/soak/boards/candidates.h"

namespace tinytune {
namespace {

using OpenLink = std::function<Result<std::unique_ptr<ByteLink>>()>;
using OpenCore = std::function<std::unique_ptr<RemoteCore>(OpenLink)>;

/// Processor time of all threads of a process so far.
double processor_ms(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 1));  // its name may contain blanks
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return 1000 * (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

void measure(const char* name, const OpenLink& open_link, const OpenCore& open_core,
             const Device& device, const BoardFacts& facts, const BuiltCandidates& candidates,
             std::optional<int> qemu = {}) {
  test::LinkCounts link;
  auto core = open_core([&]() -> Result<std::unique_ptr<ByteLink>> {
    TT_TRY_ASSIGN(auto opened, open_link());
    return std::unique_ptr<ByteLink>(std::make_unique<test::CountedLink>(std::move(opened), link));
  });
  WriteCounts written;
  const double board_before = qemu ? processor_ms(*qemu) : 0;
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
  const double wall_ms = 1000 * spent.count() / static_cast<double>(count);
  const auto a_trial = [&](uint64_t all) {
    return static_cast<double>(all) / static_cast<double>(count);
  };
  std::printf(
      "%-22s %4zu candidates, %4zu exact, %5.1f trials a second; a trial: %.1f requests, %.0f "
      "bytes sent, %.0f received, %.1f KiB of RAM written; %llu bytes of anything else\n",
      name, count, right, static_cast<double>(count) / spent.count(), a_trial(link.requests),
      a_trial(link.sent), a_trial(link.received), a_trial(written.to_ram) / 1024,
      static_cast<unsigned long long>(written.elsewhere));
  if (qemu)
    std::printf("%-22s a trial: %.0f ms; its bytes take %.0f ms at %u baud, QEMU %.0f of a core\n",
                "", wall_ms, 1e4 * a_trial(link.sent + link.received) / kBaud, kBaud,
                (processor_ms(*qemu) - board_before) / static_cast<double>(count));
  if (right != count) fail("a candidate is not exact on the board");
  if (written.elsewhere != 0) fail("something that is no RAM was written");
}

int run(const std::string& path, size_t count) {
  const Device device = must(load_device(test::riscv_virt().device));
  const BuiltCandidates candidates = build_candidates(path, device, count);
  const BoardFacts facts = must(load_board_facts(device.name));
  const auto over_serial = [&](const char* name, uint32_t baud) {
    const auto qemu = test::QemuWithRunner::start(test::riscv_virt(), baud);
    if (qemu == nullptr) return;
    measure(
        name, [&] { return open_serial_link(qemu->path(), kBaud); },
        [&](OpenLink open) { return must(SerialCore::open(device, std::move(open), "rate")); },
        device, facts, candidates, qemu->pid());
  };
  over_serial("serial, 921,600 baud", kBaud);
  over_serial("serial, no limit", 0);  // the time besides the line's
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
