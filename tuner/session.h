// The tuning loop: propose, measure, log, tell.
//
// Kept deterministic under any number of workers by a window of fixed size: so many proposals are
// out, and the oldest outcome is logged and told before the next proposal is asked for. What is
// proposed then depends on the tasks, the settings and the outcomes, and never on who was faster.
// An outcome that the log already holds is taken from there, so a resumed run replays its own past
// in milliseconds and goes on as if it had never stopped (ADR 10).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "records/log.h"
#include "records/records.h"
#include "tinytune/result.h"
#include "tuner/candidate_queue.h"
#include "tuner/run_identity.h"
#include "tuner/trajectory.h"

namespace tinytune {

struct SessionLimits {
  uint64_t trials = 0;                   ///< matching measurements in the log included
  std::optional<double> budget_seconds;  ///< from `started`
  std::optional<uint64_t> early_stop;    ///< trials in a row that improved no task
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  const std::atomic<bool>* cancel = nullptr;
};

/// A task's best record that did not hold when it was measured once more.
struct Doubt {
  size_t task = 0;             ///< of the session's
  uint64_t logged_cycles = 0;  ///< median
  MeasureResult now;
};

struct SessionEnd {
  uint64_t measured = 0;
  TuneTimes times;
  bool exhausted = false;  ///< nothing left that is worth a trial
  bool stopped_early = false;
  bool interrupted = false;  ///< `cancel` was set before that or the last trial
  std::vector<Doubt> doubts;
};

class Session {
 public:
  /// Makes the queue; called once, and only if there is something to measure.
  using StartQueue = std::function<Result<std::unique_ptr<CandidateQueue>>()>;
  /// After every reported measurement, and about ten times a second while waiting.
  using OnTick = std::function<void(const Records& records, uint64_t measured, bool reported)>;

  /// All references outlive the session. `records` holds the log's applicable measurements.
  Session(const std::vector<TuningTask>& tasks, const Device& device, LogWriter& log,
          Records& records);

  /// Records that were in the log before the first one of this run (run_identity.h) are told to
  /// the strategies as history; the run's own are replayed where the trajectory proposes them.
  /// A run that measured something ends with a second measurement of each task's best, which goes
  /// into no log: see SessionEnd::doubts.
  Result<SessionEnd> run(Trajectory trajectory, const RunSettings& settings,
                         const SessionLimits& limits, const StartQueue& start,
                         const OnTick& on_tick);

 private:
  struct Outstanding;
  struct Run;
  uint64_t matching() const;
  uint64_t matching_of_others(const Run& run) const;
  void tell_history(Run& run) const;
  bool finished(const Run& run) const;
  Status fill_window(Run& run, const StartQueue& start);
  std::optional<Measurement> known(const Trial& trial) const;
  void notice_stop(Run& run) const;
  void notice_gain(Run& run, const Outstanding& told) const;
  Status wait_for_oldest(Run& run, const OnTick& on_tick);
  Status report_oldest(Run& run, const OnTick& on_tick);
  Status confirm_winners(Run& run, const OnTick& on_tick);
  Measurement measurement_of(const Run& run, const Trial& trial, MeasureResult result) const;

  const std::vector<TuningTask>& tasks_;
  const Device& device_;
  LogWriter& log_;
  Records& records_;
};

}  // namespace tinytune
