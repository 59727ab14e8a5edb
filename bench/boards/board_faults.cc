// What a bad line and a weak power supply do to measurements: nothing. Candidates of a model run
// through the serial runner of QEMU's machine virt, first on a good line, then with bytes dropped,
// doubled, damaged and delayed, with garbage, silence and resets; one call in ten on the line has
// something. Every outcome and every cycle count must be what it was, once for each trial.
//
// Usage: board_faults MODEL.tflite [TRIALS] [SEEDS]
#include <algorithm>
#include <chrono>
#include <memory>

#include "bench/boards/candidates.h"
#include "measure/runner.h"
#include "rpc_device/boards/remote_board.h"
#include "rpc_device/boards/serial/serial_core.h"
#include "tests/rpc_device/boards/faulty_link.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune {
namespace {

constexpr size_t kMostCandidates = 24;

/// A board behind a line whose faults are as `faults` says at the moment.
std::unique_ptr<RemoteBoard> open_board_with(const std::shared_ptr<test::Faults>& faults,
                                             test::QemuWithRunner& qemu, const Device& device) {
  SerialOptions options;
  options.reply_timeout = std::chrono::milliseconds(60);
  const auto open_link = [faults, path = qemu.path()]() -> Result<std::unique_ptr<ByteLink>> {
    TT_TRY_ASSIGN(auto link, open_serial_link(path, kBaud));
    return std::unique_ptr<ByteLink>(std::make_unique<test::FaultyLink>(std::move(link), faults));
  };
  return std::make_unique<RemoteBoard>(
      device, must(SerialCore::open(device, open_link, "faulty", options)));
}

struct Tally {
  size_t trials = 0, wrong = 0, lost = 0;
};

Tally run_with_faults(uint64_t seed, size_t trials, const Device& device,
                      const Candidates& candidates) {
  const auto qemu = test::QemuWithRunner::start(test::riscv_virt(), 0);
  if (qemu == nullptr) fail("no qemu-system-riscv32, or no clang-14");
  const auto faults = std::make_shared<test::Faults>(seed);
  faults->rate = 0;
  const auto board = open_board_with(faults, *qemu, device);
  const auto measure = [&](const Candidate& candidate) {
    return run_with_resets(*board, candidate.kernel, candidates.tasks[candidate.task], {});
  };
  std::vector<MeasureResult> expected;
  for (const Candidate& candidate : candidates.list)
    expected.push_back(must(measure(candidate)).result);
  faults->rate = 0.1;
  faults->reset_board = [&] { qemu->reset(); };
  Tally tally;
  for (; tally.trials < trials; ++tally.trials) {
    const size_t which = tally.trials % candidates.list.size();
    const auto run = measure(candidates.list[which]);
    if (!run)
      ++tally.lost;
    else if (run->result.outcome != expected[which].outcome ||
             run->result.cycles != expected[which].cycles)
      ++tally.wrong;
  }
  std::printf(
      "seed %2llu: %zu trials, %zu wrong, %zu lost; dropped %llu, doubled %llu, damaged %llu, "
      "delayed %llu, garbage %llu, hung %llu, resets %llu\n",
      static_cast<unsigned long long>(seed), tally.trials, tally.wrong, tally.lost,
      static_cast<unsigned long long>(faults->dropped),
      static_cast<unsigned long long>(faults->doubled),
      static_cast<unsigned long long>(faults->damaged),
      static_cast<unsigned long long>(faults->delayed),
      static_cast<unsigned long long>(faults->garbage),
      static_cast<unsigned long long>(faults->hung),
      static_cast<unsigned long long>(faults->reset));
  std::fflush(stdout);
  return tally;
}

int run(const std::string& model, size_t trials, uint64_t seeds) {
  const Device device = must(load_device(test::riscv_virt().device));
  const Candidates candidates = build_candidates(model, device, std::min(trials, kMostCandidates));
  bool good = true;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const Tally tally = run_with_faults(seed, trials, device, candidates);
    good = good && tally.wrong == 0 && tally.lost == 0;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tinytune

int main(int argc, char** argv) {
  if (argc < 2) tinytune::fail("usage: board_faults MODEL.tflite [TRIALS] [SEEDS]");
  const auto number = [&](int at, long otherwise) {
    return argc > at ? std::max(1L, std::atol(argv[at])) : otherwise;
  };
  return tinytune::run(argv[1], static_cast<size_t>(number(2, 500)),
                       static_cast<uint64_t>(number(3, 20)));
}
