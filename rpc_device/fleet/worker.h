// The worker: dials a tuner, states its abilities, and does one job after another.
//
// run_worker() owns its process: it must be called while the process has one thread (builds are
// forked, see measure/sandbox.h), and it ends the process if the tuner dies during a job, because
// the result has no receiver. staying_worker.h adds a parent process that outlives tuners.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "devices/device.h"
#include "measure/job.h"
#include "measure/measurer.h"
#include "schedules/schedule.h"
#include "tinytune/result.h"

namespace tinytune {

struct WorkerOptions {
  std::string connect;       ///< "unix:PATH" or "HOST:PORT"
  std::string device;        ///< a board's address, see rpc_device/boards/open_board.h
  std::string keys;          ///< directory for read_keys(); empty: the link is not encrypted
  bool in_flash = false;     ///< measures on the device's in_flash() variant
  bool builds = true;        ///< false: runs images that others built
  bool runs = true;          ///< false: only builds
  std::string power_switch;  ///< of its board, see open_board(); empty: none
  /// A program that examines `device`, as `tune doctor --device` does: exit code 0 if nothing is
  /// wrong, otherwise its lines with WRONG describe the problem. Empty: no examination.
  std::vector<std::string> doctor;
  int connect_timeout_ms = 20'000;
  /// For stay(): time from the loss of the board to giving it up; absent: waits indefinitely.
  std::optional<std::chrono::milliseconds> board_patience;
  /// Called after the board, if any, was opened and before the tuner is dialled; may be empty.
  std::function<void()> on_board_open;
};

/// Serves one tuner; returns when it closes the stream. kNotFound, kInvalidInput, kUnsupported: the
/// device, or the tuner refused this worker (another build, another device). kFailed: no answer at
/// the address, or the tuner died. kDeviceLost: the board or the build server is lost.
Status run_worker(const WorkerOptions& options, const LogSink& log = null_log());

/// Result of a build; `kernel` is valid if the outcome is kOk.
struct BuiltCandidate {
  MeasureResult result;
  BuiltKernel kernel;
};

/// Functions that do a worker's jobs; tasks have passed check_task(). kFailed: this machine failed,
/// not the candidate; another worker gets the job. Any other error ends the worker.
struct JobFunctions {
  std::function<Result<BuiltCandidate>(const TaskData&, const Schedule&, const MeasureLimits&)>
      build;  ///< empty: it does not build
  std::function<Result<MeasureResult>(const TaskData&, const BuiltKernel&, const MeasureLimits&)>
      run;  ///< empty: it does not run
  /// Build and run in one step, for workers that do both.
  std::function<Result<MeasureResult>(const TaskData&, const Digest& of_task, const MeasureJob&)>
      measure;
  /// Examines the worker after repeated faults; returns the problem in one line, empty: none. An
  /// error ends the worker.
  std::function<Result<std::string>()> examine = [] {
    return std::string("this worker has no doctor");
  };
  std::string runs_on = std::string(kSimulatorSource);  ///< or a board's unique id
  /// Returns the fidelity of its runs.
  Fidelity stage() const {
    return runs_on == kSimulatorSource ? Fidelity::kSimulate : Fidelity::kBoard;
  }
  std::string build_id;  ///< empty: this program's
};

/// The communication part of run_worker(). Errors as there.
Status serve_jobs(const WorkerOptions& options, const Device& device, const JobFunctions& jobs,
                  const LogSink& log = null_log());

}  // namespace tinytune
