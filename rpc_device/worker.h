// The worker: dials a tuner, says what it can measure, and measures one job after another.
//
// A worker is a process of its own and run_worker() owns it: it must be called while the process
// has one thread (builds are forked, see measure/sandbox.h), and it ends the process when the tuner
// dies while a job is under way, because no one is left to tell.
#pragma once

#include <functional>
#include <string>

#include "base/log.h"
#include "devices/device.h"
#include "measure/job.h"
#include "schedules/schedule.h"
#include "tinytune/result.h"

namespace tinytune {

struct WorkerOptions {
  std::string connect;  ///< "unix:PATH" or "HOST:PORT"
  std::string device;   ///< what load_device takes; a transport may follow an '@' (later)
  std::string tool;     ///< "tinytune 0.1.0", for messages
  int connect_timeout_ms = 20'000;
};

/// Returns when the tuner closes. kNotFound, kInvalidInput, kUnsupported: the device.
/// kInvalidInput: the tuner refused this worker (another protocol, another device).
/// kFailed: nobody answers at the address, or the tuner died. kDeviceLost: board or build server.
Status run_worker(const WorkerOptions& options, const LogSink& log = null_log());

/// What a worker does with one job; `task_hash` is task.hash(). An error ends the worker.
using JobFunction = std::function<Result<MeasureResult>(
    const TaskData& task, uint64_t task_hash, const Schedule& schedule, const MeasureLimits&)>;

/// The part of run_worker() that talks: dials and hands every job to `measure`. Errors as there.
Status serve_jobs(const WorkerOptions& options, const Device& device, const JobFunction& measure);

}  // namespace tinytune
