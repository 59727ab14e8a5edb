// Tuning: searches for the fastest exact kernels of a model on a device; logs every measurement.
//
// The log is the result. A run that is cancelled or killed loses no measurement that it reported.
// The same call then continues where it stopped, with the same proposals as an uninterrupted run.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/layout.h"
#include "tinytune/memory.h"
#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/search.h"

namespace tinytune {

/// Kind of a message. Warnings are shown even by callers that suppress information.
enum class MessageKind { kInfo, kWarning };
/// Receives one line, without the newline, in the thread that made the call.
using MessageSink = std::function<void(MessageKind, const std::string&)>;

/// The task of the latest measurement.
struct TaskProgress {
  int index = 0;                                        ///< as in TuneReport::tasks
  std::string name;                                     ///< for people
  uint64_t trials = 0;                                  ///< of this task, in the log
  std::optional<uint64_t> default_cycles, best_cycles;  ///< of one layer
};

/// Progress of a run.
struct TuneProgress {
  uint64_t trials = 0;                  ///< synced to the log, earlier runs included
  uint64_t trials_total = 0;            ///< end of the run, unless its time ends first
  uint64_t measured = 0;                ///< part of `trials` measured by this run
  uint64_t valid = 0;                   ///< part of `trials` with outcome ok
  double trials_per_second = 0;         ///< of this run
  std::optional<uint64_t> best_cycles;  ///< sum over the tasks' layers; absent until all have one
  std::optional<double> seconds_left;   ///< an estimate
  std::optional<uint64_t> clock_hz;     ///< of the device; absent on instruction counters
  std::optional<TaskProgress> task;     ///< absent before the first measurement
};

/// Options of tune_model(): search, limits, workers and callbacks.
struct TuneOptions {
  /// Path of the log: created if missing, appended to, locked while tuning.
  std::string records;
  /// Logs whose records of this device are copied into a new log. Records of other tasks warm up
  /// the search; records of the same tasks count as trials. A log that already has records is not
  /// changed; a warning says if it lacks some of these.
  std::vector<std::string> priors;
  /// Trials over all tasks, matching measurements already in the log included. Default: 64 × tasks.
  std::optional<uint64_t> trials;
  /// Wall time of this call. With `trials`, the limit that is reached first ends the run.
  std::optional<double> budget_seconds;
  /// Ends the run after this many consecutive trials that made no task faster.
  std::optional<uint64_t> early_stop;
  std::string tuner = "bayes";  ///< or another of `tune --help`: "xgb", "random", …
  /// The caller's own search strategy, used instead of `tuner`.
  std::optional<OwnSearch> search;
  uint64_t seed = 1;  ///< same seed, same proposals
  /// Proposals in flight, 1 to 4096: each proposal is made without the outcomes of the `window`
  /// proposals before it. The window decides which proposals are made, so it does not depend on the
  /// number of workers. A wider window keeps more workers busy (two candidates per worker suffice);
  /// a narrower one learns from each outcome sooner.
  uint64_t window = 16;
  /// Layouts to tune. kAuto: every task that has a layout is there twice, NCHW after all others.
  LayoutPolicy layout = LayoutPolicy::kNhwc;
  /// Schedules that fit no network within `ram_bytes` are not proposed, and their records are
  /// ignored. `flash_bytes` is checked at the end.
  MemoryLimits limits;
  std::vector<int> tasks;      ///< task indices; empty: all
  std::optional<int> workers;  ///< processes to start here; default: one per core
  /// How long to wait for a board that is lost during the run; 0: not at all. A board that cannot
  /// be reached at the start ends the run within seconds.
  double board_patience_seconds = 300;
  /// "unix:PATH" or "HOST:PORT" where workers dial in; default: a private unix socket.
  std::string listen;
  /// The tuner/ folder of `tune keys`, for `listen`: workers must authenticate. Empty: none.
  std::string keys;
  /// Allows listening to other machines without keys, which is refused otherwise.
  bool insecure = false;
  /// The `tune` program to start as workers. Default: the one of this library's
  /// installation, then `tune` on PATH.
  std::string worker_program;

  std::function<void(const TuneProgress&)> on_progress;  ///< after every reported measurement
  MessageSink on_message;                                ///< warnings and news; may be empty
  const std::atomic<bool>* cancel = nullptr;  ///< set it to true, from any thread, to stop early
};

/// Result of a run for one task.
struct TaskResult {
  int index = 0;                                        ///< in the model, as TaskInfo's
  std::string name;                                     ///< for people
  std::vector<int> layers;                              ///< operators that share the kernel
  std::optional<uint64_t> default_cycles, best_cycles;  ///< of one layer; absent if not measured
  std::string best_schedule;                            ///< as logs write it; empty: none
  uint64_t trials = 0, valid = 0;                       ///< records in the log; exact ones
};

/// Processor seconds of a call by activity; `idle` and runs on boards are wall seconds. All but
/// `search` are summed over workers.
struct TuneTimes {
  double lower = 0, llvm = 0, link = 0;  ///< building candidates
  double run = 0, verify = 0;            ///< on the device
  double idle = 0;                       ///< workers connected and without a job
  double search = 0;                     ///< the tuner's own: proposing, learning
};

/// Results of a run and its time by activity.
struct TuneReport {
  std::vector<TaskResult> tasks;  ///< in the order of `tune inspect`
  /// Sums over the layers of the tasks above; absent while one of them has no valid measurement.
  /// With kAuto, of a layer's two tasks the better one counts (and NHWC for the default), and
  /// transforms between layouts are not in the sum.
  std::optional<uint64_t> default_cycles, best_cycles;
  std::optional<uint64_t> clock_hz;  ///< of the device; absent on instruction counters
  std::string records;               ///< path of the log
  uint64_t measured = 0;             ///< trials of this call; 0 if the log already held all
  bool exhausted = false;            ///< no schedule left is worth a trial
  bool stopped_early = false;        ///< by `early_stop`
  double seconds = 0;                ///< wall time of this call
  TuneTimes times;                   ///< time by activity
};

/// Tunes `model` and blocks until done. One call at a time may use a log; calls on different logs
/// may run in parallel. `device` is a known device's name or the path of a device file.
///
/// kNotFound: no such device or worker program. kInvalidInput: an option or the log is malformed.
/// kUnsupported: nothing in the model to tune on this device. kFailed: the log is locked or cannot
/// be written, no worker stays alive, or a task has no valid candidate. kInterrupted: cancelled.
Result<TuneReport> tune_model(const Model& model, const std::string& device,
                              const TuneOptions& options);

}  // namespace tinytune
