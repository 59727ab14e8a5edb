// Where the session sends candidates: anything that takes jobs and gives their outcomes back in
// whatever order they finish. The pool of RPC workers is the one that measures (worker_queue.h).
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

  /// `task` is an index into the session's tasks. The ticket comes back with the outcome.
  virtual uint64_t submit(size_t task, const Schedule& schedule, Fidelity stage) = 0;

  /// The next outcome, in any order; nothing if none came in time. kFailed: no worker is left that
  /// could finish what was submitted.
  virtual Result<std::optional<Finished>> wait(std::chrono::milliseconds timeout) = 0;

  /// Where the time of what was submitted went; `search` is not ours to know.
  virtual TuneTimes times() const { return {}; }
};

}  // namespace tinytune
