#include "measure/runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "base/check.h"
#include "base/processor_time.h"
#include "measure/steady.h"
#include "templates/least_cycles.h"

namespace tinytune {
namespace {

// Resets per measurement: enough for a link on which one frame in ten is damaged.
constexpr int kMostResets = 8;

using Clock = std::chrono::steady_clock;

// Times a stage: in processor time for a simulator, which runs in this process; in wall time for a
// board, which this process waits for.
class StageWatch {
 public:
  explicit StageWatch(Fidelity fidelity) : waits_(fidelity == Fidelity::kBoard) {}
  double ms() const {
    return waits_ ? std::chrono::duration<double, std::milli>(Clock::now() - start_).count()
                  : work_.ms();
  }

 private:
  bool waits_;
  Clock::time_point start_ = Clock::now();
  ProcessorWatch work_;
};

const char* words_for(Guard guard) {
  switch (guard) {
    case Guard::kNone:
      return "";
    case Guard::kAtEnd:
      return ", buffers ending at unmapped memory";
    case Guard::kAtStart:
      return ", buffers starting after unmapped memory";
  }
  return "";
}

std::optional<std::string> difference(std::span<const uint8_t> got, const TestCase& test) {
  if (got.size() != test.expected.size())
    return "the board returned " + std::to_string(got.size()) + " bytes of " +
           std::to_string(test.expected.size());
  const auto [g, e] =
      std::mismatch(got.begin(), got.end(), test.expected.begin(), test.expected.end());
  if (g == got.end()) return std::nullopt;
  char text[96];
  std::snprintf(text, sizeof text, "byte %zu is %d and should be %d",
                static_cast<size_t>(g - got.begin()), static_cast<int8_t>(*g),
                static_cast<int8_t>(*e));
  return text;
}

// Arguments: input, constants, scratch if any, output; see templates/kernel_template.h.
LoadRequest load_request(const BuiltKernel& kernel, const Workload& workload) {
  LoadRequest request;
  request.elf = kernel.elf;
  request.symbol = kernel.symbol;
  const auto add = [&](BufferRole role, int64_t size, uint32_t alignment, Digest digest = {}) {
    request.arguments.push_back({role, static_cast<uint32_t>(size), alignment, digest});
  };
  add(BufferRole::kInput, workload.input_bytes(), 4);
  for (const PackedConstant& constant : kernel.constants)
    add(BufferRole::kConstant, static_cast<int64_t>(constant.bytes.size()),
        static_cast<uint32_t>(constant.element_bytes), digest_of(constant.bytes));
  if (kernel.scratch_bytes > 0) add(BufferRole::kScratch, kernel.scratch_bytes, 8);
  add(BufferRole::kOutput, workload.output_bytes(), 4);
  return request;
}

// How one case is run.
struct Way {
  Watch watch;
  RunLimits limits;
  uint8_t garbage = 0;  ///< initial scratch bytes; also output bytes unless bytes_are_cheap
  int repeats = 1;
};

class KernelRuns {
 public:
  KernelRuns(Board& board, const BuiltKernel& kernel, const TaskData& task)
      : board_(board), can_(board.capabilities()), kernel_(kernel), task_(task) {
    const BoardIdentity identity = board.identity();
    MeasureResult& result = run_.result;
    result.source = identity.id;
    result.fidelity = identity.id == kSimulatorSource ? Fidelity::kSimulate : Fidelity::kBoard;
    result.code = kernel.code;
    result.image = to_text(kernel.image());
  }

  /// Each returns whether the kernel was right; if not, the result says what was wrong.
  Result<bool> load();
  Result<bool> time(const MeasureLimits& limits);
  Result<bool> verify(const MeasureLimits& limits);

  RunResult take() { return std::move(run_); }
  Fidelity fidelity() const { return run_.result.fidelity; }
  StageTimes& times() { return run_.result.times; }
  void forget_figures();

 private:
  RunRequest request_of(const TestCase& test, const Way& way) const;
  Result<bool> run(const TestCase& test, const Way& way);
  Result<bool> run_each(std::span<const TestCase> cases, const Way& way);
  Result<bool> steady(const Way& way);
  Status keep_cycles();
  Result<bool> judge(const TestCase& test, const Way& way);
  bool say(Outcome outcome, const std::string& what);
  RunLimits verify_limits(const MeasureLimits& limits) const;

  Board& board_;
  const BoardCapabilities can_;
  const BuiltKernel& kernel_;
  const TaskData& task_;
  KernelRunReport last_;
  RunResult run_;
};

bool KernelRuns::say(Outcome outcome, const std::string& what) {
  run_.result.outcome = outcome;
  run_.result.detail = what;
  return outcome == Outcome::kOk;
}

Result<bool> KernelRuns::load() {
  TT_TRY_ASSIGN(const LoadReport report, load_kernel(board_, kernel_, task_.workload));
  switch (report.end) {
    case LoadEnd::kLoaded:
      return true;
    case LoadEnd::kDoesNotFit:
      return say(Outcome::kDoesNotFit, report.detail);
    case LoadEnd::kRefused:
    case LoadEnd::kLacksConstants:
      break;
  }
  return say(Outcome::kCrashed, report.detail);
}

// Initialises every output byte to a wrong value, so that one the kernel never writes is detected.
// If sending bytes is expensive, a fill value suffices: the first case runs with two of them.
RunRequest KernelRuns::request_of(const TestCase& test, const Way& way) const {
  RunRequest request;
  request.input = test.input;
  if (can_.bytes_are_cheap) {
    std::vector<uint8_t> wrong = test.expected;
    for (uint8_t& byte : wrong) byte = static_cast<uint8_t>(~byte);
    request.output = Contents::of(std::move(wrong));
  } else {
    request.output = Contents::filled_with(way.garbage);
  }
  request.scratch = way.garbage;
  request.repeats = way.repeats;
  request.watch = way.watch;
  request.limits = way.limits;
  return request;
}

Result<bool> KernelRuns::run(const TestCase& test, const Way& way) {
  TT_TRY_ASSIGN(last_, board_.run(request_of(test, way)));
  return judge(test, way);
}

// Sends one request for all cases. The board holds the output of the last case only, so an earlier
// case that is wrong runs again to read its output.
Result<bool> KernelRuns::run_each(std::span<const TestCase> cases, const Way& way) {
  std::vector<RunRequest> requests;
  for (const TestCase& test : cases) requests.push_back(request_of(test, way));
  for (size_t done = 0; done < cases.size();) {
    TT_TRY_ASSIGN(const auto reports, board_.run_each(std::span(requests).subspan(done)));
    for (size_t i = 0; i < reports.size(); ++i, ++done) {
      const TestCase& test = cases[done];
      last_ = reports[i];
      const bool is_last = i + 1 == reports.size();
      if (!is_last && last_.samples.front().output != digest_of(test.expected)) {
        TT_TRY_ASSIGN(const bool right, run(test, way));
        return right ? say(Outcome::kWrongOutput,
                           "case " + test.name + ": not the same bytes each time")
                     : false;
      }
      TT_TRY_ASSIGN(const bool right, judge(test, way));
      if (!right) return false;
      if (&test == &task_.cases.front()) TT_TRY(keep_cycles());
    }
  }
  return true;
}

Result<bool> KernelRuns::judge(const TestCase& test, const Way& way) {
  const std::string where = "case " + test.name + words_for(way.watch.guard) + ": ";
  switch (last_.end) {
    case RunEnd::kTimeLimit:
      run_.repeatable = false;
      return say(Outcome::kRunTimeout, where + last_.detail);
    case RunEnd::kCycleLimit:
      return say(Outcome::kRunTimeout, where + last_.detail);
    case RunEnd::kFault:
      return say(Outcome::kCrashed, where + last_.detail);
    case RunEnd::kReturned:
      break;
  }
  if (!last_.registers_restored || !last_.inputs_unchanged)
    return say(Outcome::kCrashed, where + last_.detail);
  if (last_.samples.size() != static_cast<size_t>(way.repeats))
    return Error(ErrorCode::kDeviceLost, "the board made " + std::to_string(last_.samples.size()) +
                                             " calls of " + std::to_string(way.repeats));
  const Digest right = digest_of(test.expected);
  if (std::all_of(last_.samples.begin(), last_.samples.end(),
                  [&](const Sample& sample) { return sample.output == right; }))
    return say(Outcome::kOk, "");
  TT_TRY_ASSIGN(const std::vector<uint8_t> output, board_.read_output());
  const auto wrong = difference(output, test);
  return say(Outcome::kWrongOutput, where + wrong.value_or("not the same bytes each time"));
}

Result<bool> KernelRuns::time(const MeasureLimits& limits) {
  Way way{{}, {limits.run_cycles, limits.run_ms}, 0xA5, std::max(limits.repeats, 1)};
  TT_TRY_ASSIGN(const bool right, run(task_.cases.front(), way));
  if (!right) return false;
  TT_TRY(keep_cycles());
  run_.result.instructions = last_.samples.back().instructions;
  run_.result.ram_bytes = last_.stack_bytes;
  return true;
}

Status KernelRuns::keep_cycles() {
  for (const Sample& sample : last_.samples) {
    if (sample.cycles == 0) return Error(ErrorCode::kFailed, "the board counts no cycles");
    const uint64_t least = least_cycles(task_.workload, board_.device());
    if (sample.cycles < least)
      return Error(ErrorCode::kFailed, "the board counts " + std::to_string(sample.cycles) +
                                           " cycles where the layer's multiplications take " +
                                           std::to_string(least) + " at least: ask tune doctor");
    run_.result.cycles.push_back(sample.cycles);
  }
  return ok_status();
}

// Other cases may take other paths than the timed one, but not many times as long.
RunLimits KernelRuns::verify_limits(const MeasureLimits& limits) const {
  const auto& cycles = run_.result.cycles;
  return {4 * *std::max_element(cycles.begin(), cycles.end()) + 100'000, limits.run_ms};
}

// Repeats the timed case until calls_wanted() is satisfied.
Result<bool> KernelRuns::steady(const Way& way) {
  Way again = way;
  while ((again.repeats = calls_wanted(run_.result.cycles)) > 0) {
    TT_TRY_ASSIGN(const bool right, run(task_.cases.front(), again));
    if (!right) return false;
    TT_TRY(keep_cycles());
  }
  return true;
}

// The addresses that a kernel accesses do not depend on data: templates have no data-dependent
// address. So only one case is watched access by access, which checks both ends of every buffer.
// The other untimed cases run once at full speed, with the guard alternating between end and start.
// A board without memory protection can only compare outputs: every case, also the timed one, runs
// again with other fill values.
Result<bool> KernelRuns::verify(const MeasureLimits& limits) {
  Way way{{}, verify_limits(limits), 0x5A, 1};
  if (!can_.guards) {
    TT_TRY_ASSIGN(const bool right, run_each(task_.cases, way));
    return right ? steady(way) : right;
  }
  const std::span<const TestCase> cases = task_.cases;
  const auto untimed = cases.size() > 1 ? cases.subspan(1) : cases;
  for (size_t i = 0; i < untimed.size(); ++i) {
    way.watch = {i % 2 == 0 ? Guard::kAtEnd : Guard::kAtStart, i == 0 && can_.watches_accesses};
    TT_TRY_ASSIGN(const bool right, run(untimed[i], way));
    if (!right) return false;
  }
  return true;
}

void KernelRuns::forget_figures() {
  run_.result.cycles.clear();
  run_.result.instructions = 0;
  run_.result.ram_bytes = 0;
}

}  // namespace

Result<LoadReport> load_kernel(Board& board, const BuiltKernel& kernel, const Workload& workload) {
  const LoadRequest request = load_request(kernel, workload);
  TT_TRY_ASSIGN(LoadReport report, board.load(request));
  if (report.end != LoadEnd::kLacksConstants) return report;
  for (const PackedConstant& constant : kernel.constants) {
    const Digest digest = digest_of(constant.bytes);
    if (std::find(report.lacking.begin(), report.lacking.end(), digest) != report.lacking.end())
      TT_TRY(board.keep(digest, constant.bytes));
  }
  TT_TRY_ASSIGN(report, board.load(request));
  if (report.end == LoadEnd::kLacksConstants)
    return Error(ErrorCode::kFailed, "the board forgot constants it was given just now");
  return report;
}

Result<RunResult> run_candidate(Board& board, const BuiltKernel& kernel, const TaskData& task,
                                const MeasureLimits& limits) {
  TT_CHECK(!task.cases.empty(), "a task without cases cannot be measured");
  KernelRuns runs(board, kernel, task);
  const StageWatch running(runs.fidelity());
  TT_TRY_ASSIGN(bool right, runs.load());
  if (right) {
    TT_TRY_ASSIGN(right, runs.time(limits));
  }
  runs.times().run_ms = running.ms();
  if (right && limits.verify) {
    const StageWatch verifying(runs.fidelity());
    TT_TRY_ASSIGN(right, runs.verify(limits));
    runs.times().verify_ms = verifying.ms();
  }
  if (!right) runs.forget_figures();
  RunResult run = runs.take();
  if (right) run.result.ram_bytes += static_cast<uint64_t>(kernel.scratch_bytes);
  return run;
}

Result<RunResult> run_with_resets(Board& board, const BuiltKernel& kernel, const TaskData& task,
                                  const MeasureLimits& limits) {
  for (int resets = 0;; ++resets) {
    auto run = run_candidate(board, kernel, task, limits);
    if (run || run.error().code() != ErrorCode::kDeviceLost || resets == kMostResets) return run;
    TT_TRY(board.reset());
  }
}

}  // namespace tinytune
