// Checks that a bad line and a weak power supply do not change measurements.
//
// Candidates of a model run through the serial runner of QEMU's machine virt as a worker runs them,
// first on a good line, then with every kind of fault at a rate of one in ten: each kind of line
// fault strikes a tenth of the frames (requests and their replies), independently of the others,
// and each kind of power failure a tenth of the trials. Each trial's record goes to a log, which
// must have it once, with the outcome and the cycles of the good line.
//
// Usage: board_faults MODEL.tflite [TRIALS] [SEEDS] [TABLE.csv]
// Four seeds run at once. With a table, each seed is written to it as soon as it is done, and
// seeds that it has are not run again.
#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/temporary_directory.h"
#include "measure/board_runner.h"
#include "records/log.h"
#include "rpc_device/boards/remote_board.h"
#include "rpc_device/boards/serial/serial_core.h"
#include "tests/rpc_device/boards/faulty_link.h"
#include "tests/rpc_device/boards/qemu.h"
#include "tests/soak/boards/candidates.h"

namespace tinytune {
namespace {

constexpr size_t kMostCandidates = 24;
constexpr size_t kAtOnce = 4;  // seeds run at once: they mostly wait for the line
constexpr double kRate = 0.1;

/// Opens a board behind a line with the faults that `faults` asks for at the moment.
std::unique_ptr<RemoteBoard> open_board_with(const std::shared_ptr<test::Faults>& faults,
                                             test::QemuWithRunner& qemu, const Device& device) {
  const auto open_link = [faults, path = qemu.path()]() -> Result<std::unique_ptr<ByteLink>> {
    TT_TRY_ASSIGN(auto link, open_serial_link(path, kBaud));
    return std::unique_ptr<ByteLink>(std::make_unique<test::FaultyLink>(std::move(link), faults));
  };
  return std::make_unique<RemoteBoard>(device, must(SerialCore::open(device, open_link, "faulty")));
}

/// Results of one seed; a line of the table.
struct Tally {
  uint64_t seed = 0, trials = 0, wrong = 0, lost = 0, repeated = 0;
  uint64_t resets = 0, brown_outs = 0, frames = 0;
  uint64_t dropped = 0, doubled = 0, damaged = 0, delayed = 0, garbage = 0, silent = 0;
  uint64_t seconds = 0;
};

/// `of`: the count that the printed share refers to; null: no share is printed.
struct Column {
  const char* name;
  uint64_t Tally::*value;
  uint64_t Tally::*of = nullptr;
};
constexpr std::array<Column, 15> kColumns = {{{"seed", &Tally::seed},
                                              {"trials", &Tally::trials},
                                              {"wrong", &Tally::wrong},
                                              {"lost", &Tally::lost},
                                              {"repeated", &Tally::repeated},
                                              {"resets", &Tally::resets, &Tally::trials},
                                              {"brown_outs", &Tally::brown_outs, &Tally::trials},
                                              {"frames", &Tally::frames},
                                              {"dropped", &Tally::dropped, &Tally::frames},
                                              {"doubled", &Tally::doubled, &Tally::frames},
                                              {"damaged", &Tally::damaged, &Tally::frames},
                                              {"delayed", &Tally::delayed, &Tally::frames},
                                              {"garbage", &Tally::garbage, &Tally::frames},
                                              {"silent", &Tally::silent, &Tally::frames},
                                              {"seconds", &Tally::seconds}}};

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

/// Reads the table's lines with this number of trials, by seed; ignores a line that was cut off.
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

/// Returns a trial's record, with the trial's number in place of a run's name.
Measurement record_of(size_t trial, const Candidate& candidate, const TaskData& task,
                      const Device& device, const MeasureResult& result) {
  Measurement record;
  record.device = device.name;
  record.device_hash = device.hash;
  record.workload = to_text(task.workload);
  record.schedule = to_text(candidate.schedule);
  record.outcome = result.outcome;
  record.cycles = result.cycles;
  record.code = result.code;
  record.detail = result.detail;
  record.run = std::to_string(trial);
  record.source = result.source;
  record.fidelity = result.fidelity;
  record.image = result.image;
  return record;
}

/// Counts the trials that the log has wrong, not at all or more than once.
void compare(const std::string& log, const std::vector<MeasureResult>& expected, Tally& tally) {
  const LogContents contents = must(read_log(log));
  std::vector<uint64_t> times(tally.trials);
  for (const Measurement& record : contents.measurements) {
    const size_t trial = std::stoull(record.run.str());
    ++times.at(trial);
    const MeasureResult& right = expected[trial % expected.size()];
    tally.wrong += record.outcome != right.outcome || record.cycles != right.cycles ? 1 : 0;
  }
  for (const uint64_t count : times) {
    tally.lost += count == 0 ? 1 : 0;
    tally.repeated += count > 1 ? 1 : 0;
  }
}

Tally run_with_faults(uint64_t seed, size_t trials, const Device& device,
                      const BuiltCandidates& candidates) {
  const auto start = std::chrono::steady_clock::now();
  const auto qemu = test::QemuWithRunner::start(test::riscv_virt(), 0);
  if (qemu == nullptr) fail("no qemu-system-riscv32, or no clang-14");
  const auto faults = std::make_shared<test::Faults>(seed);
  const auto board = open_board_with(faults, *qemu, device);
  BoardRunner runner(*board);
  const auto measure = [&](const Candidate& candidate) {
    return runner.run(candidate.kernel, candidates.tasks[candidate.task], {});
  };
  std::vector<MeasureResult> expected;
  for (const Candidate& candidate : candidates.list)
    expected.push_back(must(measure(candidate)).result);
  *faults = test::Faults(seed);  // frames of the good line do not count
  faults->reset_board = [&] { qemu->reset(); };
  faults->line_rate = faults->power_rate = kRate;
  const TemporaryDirectory directory = must(TemporaryDirectory::create("faults"));
  LogWriter log = must(LogWriter::open(directory.file("log.jsonl")));
  for (size_t trial = 0; trial < trials; ++trial) {
    faults->begin_trial();
    const Candidate& candidate = candidates.list[trial % candidates.list.size()];
    const auto run = measure(candidate);
    if (!run)
      std::fprintf(stderr, "seed %llu, trial %zu: %s\n", static_cast<unsigned long long>(seed),
                   trial, run.error().message().c_str());
    else if (const Status kept = log.append(record_of(
                 trial, candidate, candidates.tasks[candidate.task], device, run->result));
             !kept)
      fail(kept.error().message());
    if (trial % 100 == 99)
      std::fprintf(stderr, "seed %llu: %zu of %zu trials\n", static_cast<unsigned long long>(seed),
                   trial + 1, trials);
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  Tally tally{.seed = seed,
              .trials = faults->trials,
              .resets = faults->resets,
              .brown_outs = faults->brown_outs,
              .frames = faults->frames,
              .dropped = faults->dropped,
              .doubled = faults->doubled,
              .damaged = faults->damaged,
              .delayed = faults->delayed,
              .garbage = faults->garbage,
              .silent = faults->silent,
              .seconds = static_cast<uint64_t>(spent.count())};
  compare(directory.file("log.jsonl"), expected, tally);
  return tally;
}

/// Prints each kind's share over all seeds; returns 1 if any record is wrong, lost or repeated, or
/// no frame had a fault.
int summary(const std::map<uint64_t, Tally>& tallies, uint64_t seeds, size_t trials) {
  Tally all;
  for (const auto& [seed, tally] : tallies) {
    if (seed > seeds) break;  // of an earlier call with more seeds
    for (const Column& column : kColumns) all.*column.value += tally.*column.value;
  }
  for (const Column& column : kColumns)
    if (column.of != nullptr)
      std::printf(
          "%-10s %7llu, %4.1f %% of %llu %s\n", column.name,
          static_cast<unsigned long long>(all.*column.value),
          100 * static_cast<double>(all.*column.value) / static_cast<double>(all.*column.of),
          static_cast<unsigned long long>(all.*column.of),
          column.of == &Tally::trials ? "trials" : "frames");
  std::printf("%llu seeds of %zu trials: %llu records wrong, %llu lost, %llu repeated\n",
              static_cast<unsigned long long>(seeds), trials,
              static_cast<unsigned long long>(all.wrong), static_cast<unsigned long long>(all.lost),
              static_cast<unsigned long long>(all.repeated));
  const uint64_t faults =
      all.dropped + all.doubled + all.damaged + all.delayed + all.garbage + all.silent;
  return faults > 0 && all.wrong + all.lost + all.repeated == 0 ? 0 : 1;
}

int run(const std::string& model, size_t trials, uint64_t seeds, const std::string& table) {
  const Device device = must(load_device(test::riscv_virt().device));
  const BuiltCandidates candidates =
      build_candidates(model, device, std::min(trials, kMostCandidates));
  std::map<uint64_t, Tally> tallies = tallies_in(table, trials);
  std::ofstream rows(table, std::ios::app);
  if (!table.empty() && !rows) fail(table + " cannot be written");
  if (!table.empty() && tallies.empty()) rows << header() << std::endl;
  std::puts(header().c_str());
  std::vector<uint64_t> to_run;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto known = tallies.find(seed);
    if (known != tallies.end())
      std::puts(line_of(known->second).c_str());
    else
      to_run.push_back(seed);
  }
  std::mutex mutex;  // guards `to_run`, `tallies` and the output
  const auto work = [&] {
    for (std::unique_lock lock(mutex); !to_run.empty();) {
      const uint64_t seed = to_run.front();
      to_run.erase(to_run.begin());
      lock.unlock();
      const Tally tally = run_with_faults(seed, trials, device, candidates);
      lock.lock();
      tallies[seed] = tally;
      if (!table.empty()) rows << line_of(tally) << std::endl;
      std::puts(line_of(tally).c_str());
      std::fflush(stdout);
    }
  };
  std::vector<std::jthread> workers(kAtOnce);
  for (std::jthread& worker : workers) worker = std::jthread(work);
  workers.clear();
  return summary(tallies, seeds, trials);
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
