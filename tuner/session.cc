#include "tuner/session.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <deque>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/processor_time.h"
#include "tinytune/tinytune.h"

namespace tinytune {
namespace {

using Clock = std::chrono::steady_clock;

/// Interval at which a waiting run checks its time limit and cancellation.
constexpr std::chrono::milliseconds kTick{100};

/// Time for which a stopped run still accepts outcomes; longer would wait for hanging candidates.
constexpr std::chrono::milliseconds kGrace{1000};

/// Largest accepted relative change between two measurements of one kernel on a board.
constexpr double kMostBoardChange = 0.05;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// Returns the first line, shortened: a compiler's whole diagnosis is too long for a log.
std::string shortened(const std::string& detail) {
  constexpr size_t kMost = 240;
  return detail.substr(0, std::min(detail.find('\n'), kMost));
}

double seconds_of(const StageTimes& times) {
  const double ms = times.lower_ms + times.llvm_ms + times.link_ms + times.run_ms + times.verify_ms;
  return std::round(ms) / 1000;  // rounded to milliseconds, for human readers of the log
}

/// Returns the measurement of only building a candidate, from one that may have gone further.
Measurement build_part(Measurement m) {
  const bool ended_there = m.fidelity == Fidelity::kBuild || m.outcome == Outcome::kLost ||
                           m.outcome == Outcome::kBuildFailed ||
                           m.outcome == Outcome::kBuildTimeout || m.outcome == Outcome::kDoesNotFit;
  if (ended_there) return m;
  m.outcome = Outcome::kOk;
  m.fidelity = Fidelity::kBuild;
  m.cycles.clear();
  m.instructions = m.ram_bytes = 0;
  m.detail = {};
  return m;
}

// Returns whether a second measurement confirms the logged cycles: exactly on a simulator, within
// kMostBoardChange on a board.
bool holds(uint64_t logged, const MeasureResult& now) {
  if (now.outcome != Outcome::kOk || now.cycles.empty()) return false;
  const double change =
      static_cast<double>(median_of(now.cycles)) / static_cast<double>(logged) - 1;
  return std::abs(change) <= (now.fidelity == Fidelity::kBoard ? kMostBoardChange : 0);
}

}  // namespace

struct Session::Outstanding {
  Trial trial;
  std::optional<uint64_t> ticket;          ///< set if it was submitted
  std::optional<Measurement> measurement;  ///< set once known
  bool replayed = false;                   ///< taken from the log
  bool charged = false;                    ///< counts as one of the run's trials
};

struct Session::Run {
  Trajectory trajectory;
  RunSettings settings;
  std::string identity;
  const SessionLimits& limits;
  std::unique_ptr<CandidateQueue> queue = nullptr;
  std::deque<Outstanding> window = {};
  double search_seconds = 0;
  /// Remaining trials. Decremented at proposals and not when the log grows, so that a resumed run
  /// stops proposing at the same point as an uninterrupted one.
  uint64_t allowance = 0;
  std::optional<Clock::time_point> stopped_at = {};
  std::map<size_t, uint64_t> best = {};  ///< least cycles by task, of this run's trials
  uint64_t without_gain = 0;             ///< consecutive trials without improvement
  SessionEnd end = {};
};

Session::Session(const std::vector<TuningTask>& tasks, const Device& device, LogWriter& log,
                 Records& records)
    : tasks_(tasks), device_(device), log_(log), records_(records) {}

uint64_t Session::matching() const {
  uint64_t count = 0;
  for (const TuningTask& task : tasks_) count += records_.tally(task.workload).trials;
  return count;
}

uint64_t Session::matching_of_others(const Run& run) const {
  uint64_t count = matching();
  for (const TuningTask& task : tasks_)
    for (const Measurement* m : records_.of(task.workload)) count -= m->run == run.identity ? 1 : 0;
  return count;
}

// Passes on only records before the run's first one: another run may have appended later ones, and
// a resumed run must know no more than it did originally.
void Session::tell_history(Run& run) const {
  for (const Measurement& m : records_.all()) {
    if (m.run == run.identity) return;
    run.trajectory.tell_history(m);
  }
}

bool Session::finished(const Run& run) const {
  return run.stopped_at || run.end.exhausted || run.end.stopped_early || run.allowance == 0;
}

/// Returns the candidate's measurement in the log, if any.
std::optional<Measurement> Session::known(const Trial& trial) const {
  const TuningTask& task = tasks_[trial.task];
  const Measurement* record =
      records_.find(task.workload, to_text(task.space.schedule(trial.proposal.point)));
  if (record == nullptr) return std::nullopt;
  return trial.proposal.stage == Fidelity::kBuild ? build_part(*record) : *record;
}

Status Session::fill_window(Run& run, const StartQueue& start) {
  while (!finished(run) && run.window.size() < run.settings.window) {
    const ProcessorWatch asking;
    const std::optional<Trial> trial = run.trajectory.propose();
    run.search_seconds += asking.ms() / 1000;
    if (!trial) {
      run.end.exhausted = true;
      break;
    }
    Outstanding next{*trial, std::nullopt, known(*trial), false, false};
    next.replayed = next.measurement.has_value();
    if (!next.replayed) {
      if (run.queue == nullptr) {
        TT_TRY_ASSIGN(run.queue, start());
      }
      const Schedule schedule = tasks_[trial->task].space.schedule(trial->proposal.point);
      next.ticket = run.queue->submit(trial->task, schedule, trial->proposal.stage);
    }
    // Records of other runs were already subtracted from the allowance at the start.
    next.charged = !next.replayed || next.measurement->run == run.identity;
    if (next.charged) --run.allowance;
    run.window.push_back(std::move(next));
  }
  return ok_status();
}

void Session::notice_stop(Run& run) const {
  const auto now = Clock::now();
  if (run.limits.cancel != nullptr && *run.limits.cancel) run.end.interrupted = true;
  const std::chrono::duration<double> elapsed = now - run.limits.started;
  const bool out_of_time =
      run.limits.budget_seconds && elapsed.count() >= *run.limits.budget_seconds;
  if ((run.end.interrupted || out_of_time) && !run.stopped_at) run.stopped_at = now;
}

Status Session::wait_for_oldest(Run& run, const OnTick& on_tick) {
  while (!run.window.front().measurement) {
    notice_stop(run);
    if (run.stopped_at && Clock::now() >= *run.stopped_at + kGrace) return ok_status();

    TT_TRY_ASSIGN(std::optional<Finished> done, run.queue->wait(kTick));
    on_tick(records_, run.end.measured, false);
    if (!done) continue;
    for (Outstanding& waiting : run.window) {
      if (waiting.ticket != done->ticket || waiting.replayed) continue;
      waiting.measurement = measurement_of(run, waiting.trial, std::move(done->result));
    }
  }
  return ok_status();
}

Measurement Session::measurement_of(const Run& run, const Trial& trial,
                                    MeasureResult result) const {
  const TuningTask& task = tasks_[trial.task];
  return {
      .device = device_.name,
      .device_hash = device_.hash,
      .workload = task.workload,
      .schedule = to_text(task.space.schedule(trial.proposal.point)),
      .outcome = result.outcome,
      .cycles = std::move(result.cycles),
      .instructions = result.instructions,
      .code = result.code,
      .ram_bytes = result.ram_bytes,
      .seed = run.settings.seed,
      .tuner = run.settings.tuner,
      .tool = std::string("tinytune ") + version(),
      .time = {},
      .seconds = seconds_of(result.times),
      .detail = shortened(result.detail),
      .run = run.identity,
      .source = std::move(result.source),
      .fidelity = result.fidelity,
      .image = std::move(result.image),
      .build = std::move(result.build),
  };
}

// Counts trials in the order of proposals, including replayed ones, so that a resumed run stops at
// the same trial.
void Session::notice_gain(Run& run, const Outstanding& told) const {
  if (!told.charged) return;
  const auto cycles = told.measurement->median_cycles();
  const auto best = run.best.find(told.trial.task);
  if (cycles && (best == run.best.end() || *cycles < best->second)) {
    run.best[told.trial.task] = *cycles;
    run.without_gain = 0;
    return;
  }
  ++run.without_gain;
  if (run.limits.early_stop && run.without_gain >= *run.limits.early_stop)
    run.end.stopped_early = true;
}

Status Session::report_oldest(Run& run, const OnTick& on_tick) {
  Outstanding oldest = std::move(run.window.front());
  run.window.pop_front();
  Measurement& measurement = *oldest.measurement;
  const bool built_only = measurement.outcome == Outcome::kOk && measurement.cycles.empty();
  if (!oldest.replayed && !built_only) {
    measurement.time = utc_now();
    TT_TRY(log_.append(measurement));
    records_.add(measurement);
    ++run.end.measured;
    on_tick(records_, run.end.measured, true);
  }
  if (built_only && oldest.charged) ++run.allowance;  // a successful build is not a trial
  if (!built_only) notice_gain(run, oldest);
  const ProcessorWatch telling;
  run.trajectory.observe(oldest.trial, measurement);
  run.search_seconds += telling.ms() / 1000;
  return ok_status();
}

Status Session::confirm_winners(Run& run, const OnTick& on_tick) {
  std::map<uint64_t, size_t> task_of;  // by ticket
  for (size_t i = 0; i < tasks_.size(); ++i) {
    const Measurement* best = records_.best(tasks_[i].workload);
    if (best == nullptr) continue;
    TT_TRY_ASSIGN(const Schedule schedule, parse_schedule(best->schedule));
    task_of[run.queue->submit(i, schedule, best->fidelity)] = i;
  }
  while (!task_of.empty()) {
    if (run.limits.cancel != nullptr && *run.limits.cancel) return ok_status();
    TT_TRY_ASSIGN(std::optional<Finished> done, run.queue->wait(kTick));
    on_tick(records_, run.end.measured, false);
    if (!done || !task_of.contains(done->ticket)) continue;
    const size_t task = task_of.extract(done->ticket).mapped();
    const uint64_t logged = *records_.best(tasks_[task].workload)->median_cycles();
    if (!holds(logged, done->result))
      run.end.doubts.push_back({task, logged, std::move(done->result)});
  }
  return ok_status();
}

Result<SessionEnd> Session::run(Trajectory trajectory, const RunSettings& settings,
                                const SessionLimits& limits, const StartQueue& start,
                                const OnTick& on_tick) {
  Run run{std::move(trajectory), settings, run_identity(tasks_, device_, settings), limits};
  if (matching() >= limits.trials) return run.end;
  run.allowance = limits.trials - matching_of_others(run);
  tell_history(run);
  while (true) {
    notice_stop(run);
    TT_TRY(fill_window(run, start));
    if (run.window.empty()) break;
    TT_TRY(wait_for_oldest(run, on_tick));
    if (!run.window.front().measurement) break;  // stopped, and kGrace has passed
    TT_TRY(report_oldest(run, on_tick));
  }
  // Candidates left in the window of a stopped run may never finish.
  if (run.end.measured > 0 && !run.end.interrupted && run.window.empty())
    TT_TRY(confirm_winners(run, on_tick));
  if (run.queue) run.end.times = run.queue->times();
  run.end.times.search = run.search_seconds;
  // A run that had nothing left to do when it was cancelled counts as complete.
  const bool is_done = run.allowance == 0 || run.end.exhausted || run.end.stopped_early;
  if (run.window.empty() && is_done) run.end.interrupted = false;
  return run.end;
}

}  // namespace tinytune
