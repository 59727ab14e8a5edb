// The worker: dials a tuner, says what it can do, and does one job after another.
//
// A worker is a process of its own and run_worker() owns it: it must be called while the process
// has one thread (builds are forked, see measure/sandbox.h), and it ends the process when the tuner
// dies while a job is under way, because no one is left to tell. staying_worker.h puts a process
// around it that outlives tuners.
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
  bool in_flash = false;     ///< the device's in_flash() is measured
  bool builds = true;        ///< false: takes images that others built
  bool runs = true;          ///< false: builds for others
  std::string power_switch;  ///< of its board, see open_board(); empty: there is none
  /// A program that examines what `device` names, as `tune doctor --device` does: exit code 0 if
  /// nothing is wrong, else its lines with WRONG say what. Empty: nobody can.
  std::vector<std::string> doctor;
  int connect_timeout_ms = 20'000;
  /// Of stay(): from the loss of the board to giving it up; nothing: it is waited for without end.
  std::optional<std::chrono::milliseconds> board_patience;
  /// Called once the board is open, if it has one, before the tuner is dialled; may be empty.
  std::function<void()> on_board_open;
};

/// Serves one tuner; returns when it closes. kNotFound, kInvalidInput, kUnsupported: the device, or
/// the tuner refused this worker (another build, another device). kFailed: nobody answers at the
/// address, or the tuner died. kDeviceLost: board or build server.
Status run_worker(const WorkerOptions& options, const LogSink& log = null_log());

/// A build as it is told to the tuner; the kernel is there if the outcome is kOk.
struct BuiltCandidate {
  MeasureResult result;
  BuiltKernel kernel;
};

/// What a worker does with its jobs; tasks have passed check_task(). kFailed: this machine could
/// not, whatever the candidate; the job goes elsewhere. Any other error ends the worker.
struct JobFunctions {
  std::function<Result<BuiltCandidate>(const TaskData&, const Schedule&, const MeasureLimits&)>
      build;  ///< empty: it does not build
  std::function<Result<MeasureResult>(const TaskData&, const BuiltKernel&, const MeasureLimits&)>
      run;  ///< empty: it does not run
  /// Both at once, for workers that do both.
  std::function<Result<MeasureResult>(const TaskData&, const Digest& of_task, const MeasureJob&)>
      measure;
  /// What is wrong with it, in one line; empty: nothing. Asked after repeated faults. An error ends
  /// the worker.
  std::function<Result<std::string>()> examine = [] {
    return std::string("this worker has no doctor");
  };
  std::string runs_on = std::string(kSimulatorSource);  ///< or a board's unique id
  /// How far its runs go.
  Fidelity stage() const {
    return runs_on == kSimulatorSource ? Fidelity::kSimulate : Fidelity::kBoard;
  }
  std::string build_id;  ///< empty: this program's
};

/// The part of run_worker() that talks. Errors as there.
Status serve_jobs(const WorkerOptions& options, const Device& device, const JobFunctions& jobs,
                  const LogSink& log = null_log());

}  // namespace tinytune
