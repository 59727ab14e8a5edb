// What a bad line and a weak power supply do to measurements: nothing. Candidates of a model run
// through the serial runner of QEMU's machine virt, first on a good line, then with bytes dropped,
// doubled, damaged and delayed, with garbage, silence and resets; one call in ten on the line has
// something. Every outcome and every cycle count must be what it was, once for each trial.
//
// Usage: board_faults MODEL.tflite [TRIALS] [SEEDS] [TABLE.csv]
// With a table, each seed is a line of it as soon as it is done, and those that it has are not run
// again.
#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

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

/// What one seed came to; a line of the table.
struct Tally {
  uint64_t seed = 0, trials = 0, wrong = 0, lost = 0;
  uint64_t dropped = 0, doubled = 0, damaged = 0, delayed = 0, garbage = 0, hung = 0, resets = 0;
};

struct Column {
  const char* name;
  uint64_t Tally::*value;
};
constexpr std::array<Column, 11> kColumns = {{{"seed", &Tally::seed},
                                              {"trials", &Tally::trials},
                                              {"wrong", &Tally::wrong},
                                              {"lost", &Tally::lost},
                                              {"dropped", &Tally::dropped},
                                              {"doubled", &Tally::doubled},
                                              {"damaged", &Tally::damaged},
                                              {"delayed", &Tally::delayed},
                                              {"garbage", &Tally::garbage},
                                              {"hung", &Tally::hung},
                                              {"resets", &Tally::resets}}};

std::string header() {
  std::string line;
  for (const Column& column : kColumns)
    line += (line.empty() ? "" : ",") + std::string(column.name);
  return line;
}

std::string line_of(const Tally& tally) {
  std::string line;
  for (const Column& column : kColumns)
    line += (line.empty() ? "" : ",") + std::to_string(tally.*column.value);
  return line;
}

/// Those of so many trials, by seed. A line that was cut off is none.
std::map<uint64_t, Tally> tallies_in(const std::string& path, uint64_t trials) {
  std::map<uint64_t, Tally> found;
  std::ifstream table(path);
  for (std::string line; std::getline(table, line);) {
    Tally tally;
    std::istringstream cells(line);
    size_t read = 0;
    for (std::string cell; read < kColumns.size() && std::getline(cells, cell, ','); ++read)
      tally.*kColumns[read].value = std::strtoull(cell.c_str(), nullptr, 10);
    const bool is_whole = read == kColumns.size() && cells.eof() && !table.eof();
    if (is_whole && tally.trials == trials) found[tally.seed] = tally;
  }
  return found;
}

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
  tally.seed = seed;
  for (; tally.trials < trials; ++tally.trials) {
    const size_t which = tally.trials % candidates.list.size();
    const auto run = measure(candidates.list[which]);
    if (!run)
      ++tally.lost;
    else if (run->result.outcome != expected[which].outcome ||
             run->result.cycles != expected[which].cycles)
      ++tally.wrong;
    if (tally.trials % 50 == 49)
      std::fprintf(stderr, "seed %llu: %llu of %zu trials\n", static_cast<unsigned long long>(seed),
                   static_cast<unsigned long long>(tally.trials + 1), trials);
  }
  tally.dropped = faults->dropped;
  tally.doubled = faults->doubled;
  tally.damaged = faults->damaged;
  tally.delayed = faults->delayed;
  tally.garbage = faults->garbage;
  tally.hung = faults->hung;
  tally.resets = faults->reset;
  return tally;
}

int run(const std::string& model, size_t trials, uint64_t seeds, const std::string& table) {
  const Device device = must(load_device(test::riscv_virt().device));
  const Candidates candidates = build_candidates(model, device, std::min(trials, kMostCandidates));
  const std::map<uint64_t, Tally> known = tallies_in(table, trials);
  std::ofstream rows(table, std::ios::app);
  if (!table.empty() && !rows) fail(table + " cannot be written");
  if (!table.empty() && known.empty()) rows << header() << std::endl;
  std::puts(header().c_str());
  uint64_t bad = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto before = known.find(seed);
    const Tally tally =
        before != known.end() ? before->second : run_with_faults(seed, trials, device, candidates);
    if (before == known.end() && !table.empty()) rows << line_of(tally) << std::endl;
    std::puts(line_of(tally).c_str());
    std::fflush(stdout);
    bad += tally.wrong + tally.lost;
  }
  std::printf("%llu seeds of %zu trials: %llu wrong or lost\n",
              static_cast<unsigned long long>(seeds), trials, static_cast<unsigned long long>(bad));
  return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tinytune

int main(int argc, char** argv) {
  if (argc < 2) tinytune::fail("usage: board_faults MODEL.tflite [TRIALS] [SEEDS] [TABLE.csv]");
  const auto number = [&](int at, long otherwise) {
    return argc > at ? std::max(1L, std::atol(argv[at])) : otherwise;
  };
  return tinytune::run(argv[1], static_cast<size_t>(number(2, 500)),
                       static_cast<uint64_t>(number(3, 20)), argc > 4 ? argv[4] : "");
}
