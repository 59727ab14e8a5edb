// Interface to which the session submits candidates: takes jobs and returns their outcomes in the
// order in which they finish. worker_queue.h implements it with a pool of RPC workers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "measure/job.h"
#include "schedules/schedule.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

struct Finished {
  uint64_t ticket = 0;
  MeasureResult result;
};

class CandidateQueue {
 public:
  virtual ~CandidateQueue() = default;

  /// Submits a candidate; `task` is an index into the session's tasks. Returns the ticket by which
  /// its outcome is identified.
  virtual uint64_t submit(size_t task, const Schedule& schedule, Fidelity stage) = 0;

  /// Waits for the next outcome, in any order; nothing after the timeout. kFailed: no worker is
  /// left to finish the submitted candidates.
  virtual Result<std::optional<Finished>> wait(std::chrono::milliseconds timeout) = 0;

  /// Returns the time spent on submitted candidates, by stage, without `search`.
  virtual TuneTimes times() const { return {}; }
};

}  // namespace tinytune
