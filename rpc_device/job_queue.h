// Jobs between submit and result: waiting, leased, finished. Knows nothing of processes or wires.
//
// Jobs go out in the order they came in; one whose worker died goes out first. A job is blamed for
// a death only when the worker had begun it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "measure/job.h"

namespace tinytune {

/// Thread-safe.
class JobQueue {
 public:
  struct Job {
    uint64_t ticket = 0;
    size_t task = 0;
    std::string schedule;  ///< text form
    MeasureLimits limits;
    int deaths = 0;  ///< workers that died with it so far
  };
  struct Finished {
    uint64_t ticket = 0;
    MeasureResult result;
  };
  static constexpr int kDeathsUntilLost = 2;

  uint64_t submit(size_t task, std::string schedule, const MeasureLimits& limits);

  /// The next job, leased to the caller; nothing within `timeout` or after close().
  std::optional<Job> take(std::chrono::milliseconds timeout);
  /// A leased job's result.
  void finish(uint64_t ticket, MeasureResult result);
  /// The worker that held the lease is gone. `begun`: it had started the job.
  void abandon(uint64_t ticket, bool begun, const std::string& why);

  std::optional<Finished> next_finished(std::chrono::milliseconds timeout);

  /// Wakes everyone; nothing is handed out any more.
  void close();
  bool closed() const;
  uint64_t redone() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable work_, results_;
  bool closed_ = false;
  uint64_t next_ticket_ = 1, redone_ = 0;
  std::deque<Job> waiting_;
  std::map<uint64_t, Job> leased_;
  std::deque<Finished> finished_;
};

}  // namespace tinytune
