// The tuning loop: propose, measure, log, tell.
//
// Deterministic for any number of workers, by a window of fixed size: when that many proposals are
// outstanding, the oldest outcome is logged and observed before the next proposal is made. So
// proposals depend on the tasks, the settings and the outcomes, and never on the speed of workers.
// Outcomes that are in the log are taken from it, so a resumed run replays its past in milliseconds
// and continues as if it had never stopped (ADR 10).
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
  uint64_t trials = 0;                   ///< including matching measurements in the log
  std::optional<double> budget_seconds;  ///< counted from `started`
  std::optional<uint64_t> early_stop;    ///< consecutive trials without improving any task
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  const std::atomic<bool>* cancel = nullptr;
};

/// A task's best record that a second measurement did not confirm.
struct Doubt {
  size_t task = 0;             ///< index into the session's tasks
  uint64_t logged_cycles = 0;  ///< median
  MeasureResult now;
};

struct SessionEnd {
  uint64_t measured = 0;
  TuneTimes times;
  bool exhausted = false;  ///< no strategy has a proposal left
  bool stopped_early = false;
  bool interrupted = false;  ///< `cancel` was set before the run was done
  std::vector<Doubt> doubts;
};

class Session {
 public:
  /// Makes the queue; called once, and only if there is something to measure.
  using StartQueue = std::function<Result<std::unique_ptr<CandidateQueue>>()>;
  /// Called after every reported measurement, and about ten times a second while waiting.
  using OnTick = std::function<void(const Records& records, uint64_t measured, bool reported)>;

  /// All references must outlive the session. `records`: the log's applicable measurements.
  Session(const std::vector<TuningTask>& tasks, const Device& device, LogWriter& log,
          Records& records);

  /// Runs the loop. Records that were in the log before the first one of this run (run_identity.h)
  /// are passed to the strategies as history; the run's own records are replayed when the
  /// trajectory proposes them. A run that measured something finally measures each task's best
  /// again, without logging it: see SessionEnd::doubts.
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
