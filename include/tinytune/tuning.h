// Tuning: search for the fastest exact kernels of a model on a device, and log every measurement.
//
// The log is the result. A run that is cancelled or killed loses nothing it reported, and the same
// call continues where it stopped, proposing what it would have proposed.
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

/// Warnings are shown even where news is not wanted.
enum class MessageKind { kInfo, kWarning };
/// One line, without the newline. Called from the thread that made the call.
using MessageSink = std::function<void(MessageKind, const std::string&)>;

/// The task of the latest measurement.
struct TaskProgress {
  int index = 0;                                        ///< as in TuneReport::tasks
  std::string name;                                     ///< for people
  uint64_t trials = 0;                                  ///< of this task, in the log
  std::optional<uint64_t> default_cycles, best_cycles;  ///< of one layer
};

/// Where a run stands.
struct TuneProgress {
  uint64_t trials = 0;                  ///< in the log and synced, those of earlier runs included
  uint64_t trials_total = 0;            ///< where the run ends, unless its time ends first
  uint64_t measured = 0;                ///< of them, by this run
  uint64_t valid = 0;                   ///< of `trials`, those with outcome ok
  double trials_per_second = 0;         ///< of this run
  std::optional<uint64_t> best_cycles;  ///< of the tasks' layers together, once each has one
  std::optional<double> seconds_left;   ///< an estimate
  std::optional<uint64_t> clock_hz;     ///< of the device; absent on counters
  std::optional<TaskProgress> task;     ///< absent before the first
};

/// How to search, for how long, and whom to tell.
struct TuneOptions {
  /// The log: created if missing, appended to, locked while tuning.
  std::string records;
  /// Logs with whose records of this device a new log begins: those of other tasks warm the search,
  /// those of the same tasks count as trials. A log that has records is left as it is, with a
  /// warning where it lacks some.
  std::vector<std::string> priors;
  /// Over all tasks, matching measurements already in the log included. Default: 64 × tasks.
  std::optional<uint64_t> trials;
  /// Wall time of this call. With `trials`, what comes first stops.
  std::optional<double> budget_seconds;
  /// The run ends after so many trials in a row of which none made its task faster.
  std::optional<uint64_t> early_stop;
  std::string tuner = "bayes";  ///< or another of `tune --help`: "xgb", "random", …
  /// Instead of `tuner`: a strategy of the caller's own.
  std::optional<OwnSearch> search;
  uint64_t seed = 1;  ///< same seed, same proposals
  /// Proposals that are out at a time, 1 to 4096: the next one is made without the outcomes of the
  /// `window` before it. Part of what a run is, so it does not follow the number of workers: a
  /// wider window keeps more of them busy (two candidates for each is plenty), a narrower one
  /// learns from every outcome sooner.
  uint64_t window = 16;
  /// What is tuned: with kAuto, every task that has a layout is there twice, NCHW after all others.
  LayoutPolicy layout = LayoutPolicy::kNhwc;
  /// Schedules with which no network within `ram_bytes` can be made are not proposed, and do not
  /// count if the log has them. `flash_bytes` is checked at the end.
  MemoryLimits limits;
  std::vector<int> tasks;      ///< indices; empty: all
  std::optional<int> workers;  ///< processes to start here; default: one per core
  /// How long a board that is lost during the run is waited for; 0: not at all. One that cannot be
  /// reached at the start ends the run within seconds.
  double board_patience_seconds = 300;
  /// "unix:PATH" or "HOST:PORT" where workers dial in; default: a private unix socket.
  std::string listen;
  /// A directory of `tune keys` for `listen`, its tuner/: workers must show theirs. Empty: none.
  std::string keys;
  /// Without keys, listening to other machines is refused unless this says so.
  bool insecure = false;
  /// The `tune` program to start as workers. Default: the one of this library's
  /// installation, then `tune` on PATH.
  std::string worker_program;

  std::function<void(const TuneProgress&)> on_progress;  ///< after every reported measurement
  MessageSink on_message;                                ///< warnings and news; may be empty
  const std::atomic<bool>* cancel = nullptr;  ///< set it to true, from any thread, to stop early
};

/// What a run found for one task.
struct TaskResult {
  int index = 0;                                        ///< in the model, as TaskInfo's
  std::string name;                                     ///< for people
  std::vector<int> layers;                              ///< operators that share the kernel
  std::optional<uint64_t> default_cycles, best_cycles;  ///< of one layer; absent if not measured
  std::string best_schedule;                            ///< as logs write it; empty: none
  uint64_t trials = 0, valid = 0;                       ///< in the log; those that were exact
};

/// Where the time of a call went, in seconds of the processor; `idle`, and what boards run, by the
/// wall. All but `search` are summed over workers.
struct TuneTimes {
  double lower = 0, llvm = 0, link = 0;  ///< building candidates
  double run = 0, verify = 0;            ///< on the device
  double idle = 0;                       ///< workers connected and without a job
  double search = 0;                     ///< the tuner's own: proposing, learning
};

/// What a run found, and where its time went.
struct TuneReport {
  std::vector<TaskResult> tasks;  ///< in the order of `tune inspect`
  /// Sums over the layers of the tasks above; absent while one of them has no valid measurement.
  /// With kAuto, of a layer's two tasks the better one counts (and NHWC for the default), and
  /// transforms between layouts are not in the sum.
  std::optional<uint64_t> default_cycles, best_cycles;
  std::optional<uint64_t> clock_hz;  ///< of the device; absent on counters
  std::string records;               ///< the log
  uint64_t measured = 0;             ///< by this call; 0 when the log already held everything
  bool exhausted = false;            ///< no schedule left is worth a trial
  bool stopped_early = false;        ///< by `early_stop`
  double seconds = 0;                ///< of this call, by the wall
  TuneTimes times;                   ///< where they went
};

/// Blocks until done. One call at a time may use a log; calls on different logs may run side by
/// side. `device` is a known device's name or the path of a device file.
///
/// kNotFound: no such device or worker program. kInvalidInput: an option or the log is malformed.
/// kUnsupported: nothing in the model to tune on this device. kFailed: the log is locked or cannot
/// be written, no worker stays alive, or a task has no valid candidate. kInterrupted: cancelled.
Result<TuneReport> tune_model(const Model& model, const std::string& device,
                              const TuneOptions& options);

}  // namespace tinytune
