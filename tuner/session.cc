#include "tuner/session.h"

#include <ctime>
#include <deque>
#include <utility>

#include "base/check.h"
#include "tinytune/tinytune.h"

namespace tinytune {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a waiting run looks at the clock and at its user.
constexpr std::chrono::milliseconds kTick{100};

/// A run that must stop still takes what its workers are about to finish, but does not wait for a
/// candidate that hangs.
constexpr std::chrono::milliseconds kGrace{1000};

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One line, and not a compiler's whole diagnosis.
std::string shortened(const std::string& detail) {
  constexpr size_t kMost = 240;
  return detail.substr(0, std::min(detail.find('\n'), kMost));
}

}  // namespace

struct Session::Outstanding {
  Proposal proposal;
  std::optional<uint64_t> ticket;          ///< while it is being measured
  std::optional<Measurement> measurement;  ///< once known
  bool replayed = false;                   ///< the log already holds it
};

struct Session::Run {
  Trajectory trajectory;
  std::string tuner;
  uint64_t seed;
  const SessionLimits& limits;
  std::unique_ptr<CandidateQueue> queue;
  std::deque<Outstanding> window;
  double search_seconds = 0;
  uint64_t allowance = 0;  ///< new measurements that may still be started
  std::optional<Clock::time_point> stopped_at;
  SessionEnd end;
};

Session::Session(const std::vector<TuningTask>& tasks, const Device& device, LogWriter& log,
                 Records& records)
    : tasks_(tasks), device_(device), log_(log), records_(records) {}

uint64_t Session::matching() const {
  uint64_t count = 0;
  for (const TuningTask& task : tasks_) count += records_.tally(task.workload).trials;
  return count;
}

bool Session::finished(const Run& run) const {
  return run.stopped_at || run.end.exhausted || run.allowance == 0;
}

Status Session::fill_window(Run& run, const StartQueue& start) {
  while (!finished(run) && run.window.size() < kWindow) {
    const auto asked = Clock::now();
    const std::optional<Proposal> proposal = run.trajectory.propose();
    run.search_seconds += seconds_since(asked);
    if (!proposal) {
      run.end.exhausted = true;
      break;
    }
    const TuningTask& task = tasks_[proposal->task];
    const Schedule schedule = task.space.schedule(proposal->point);
    Outstanding next{*proposal, std::nullopt, std::nullopt, false};
    if (const Measurement* known = records_.find(task.workload, to_text(schedule))) {
      next.measurement = *known;
      next.replayed = true;
    } else {
      if (run.queue == nullptr) {
        TT_TRY_ASSIGN(run.queue, start());
      }
      next.ticket = run.queue->submit(proposal->task, schedule);
      --run.allowance;
    }
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
      const TuningTask& task = tasks_[waiting.proposal.task];
      MeasureResult& result = done->result;
      waiting.measurement = Measurement{
          .device = device_.name,
          .device_hash = device_.hash,
          .workload = task.workload,
          .schedule = to_text(task.space.schedule(waiting.proposal.point)),
          .outcome = result.outcome,
          .cycles = std::move(result.cycles),
          .instructions = result.instructions,
          .code_bytes = result.code_bytes,
          .ram_bytes = result.ram_bytes,
          .seed = run.seed,
          .tuner = run.tuner,
          .tool = std::string("tinytune ") + version(),
          .time = {},
          .detail = shortened(result.detail),
      };
    }
  }
  return ok_status();
}

Status Session::report_oldest(Run& run, const OnTick& on_tick) {
  Outstanding oldest = std::move(run.window.front());
  run.window.pop_front();
  Measurement& measurement = *oldest.measurement;
  if (!oldest.replayed) {
    measurement.time = utc_now();
    TT_TRY(log_.append(measurement));
    records_.add(measurement);
    ++run.end.measured;
    on_tick(records_, run.end.measured, true);
  }
  const auto told = Clock::now();
  run.trajectory.observe(oldest.proposal, measurement);
  run.search_seconds += seconds_since(told);
  return ok_status();
}

Result<SessionEnd> Session::run(Trajectory trajectory, std::string_view tuner, uint64_t seed,
                                const SessionLimits& limits, const StartQueue& start,
                                const OnTick& on_tick) {
  Run run{std::move(trajectory), std::string(tuner), seed, limits, nullptr, {}, 0, 0, {}, {}};
  const uint64_t known = matching();
  run.allowance = limits.trials > known ? limits.trials - known : 0;
  for (const Measurement& m : records_.all())
    if (m.seed != seed || m.tuner != tuner) run.trajectory.tell_history(m);
  while (true) {
    notice_stop(run);
    TT_TRY(fill_window(run, start));
    if (run.window.empty()) break;
    TT_TRY(wait_for_oldest(run, on_tick));
    if (!run.window.front().measurement) break;  // stopped, and the grace is over
    TT_TRY(report_oldest(run, on_tick));
  }
  if (run.queue) run.end.times = run.queue->times();
  run.end.times.search = run.search_seconds;
  // Told to stop when there was nothing left to do anyway: that is a run that is done.
  if (run.window.empty() && (run.allowance == 0 || run.end.exhausted)) run.end.interrupted = false;
  return run.end;
}

}  // namespace tinytune
