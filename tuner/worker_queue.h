// The queue that measures candidates on worker processes behind gRPC, local and remote.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "devices/device.h"
#include "rpc_device/fleet/worker_pool.h"
#include "tinytune/tuning.h"
#include "tuner/candidate_queue.h"
#include "tuner/trajectory.h"

namespace tinytune {

/// Larger numbers are taken for typing errors.
inline constexpr int kMostWorkers = 1024;

class WorkerQueue : public CandidateQueue {
 public:
  /// Runs the reference once per task and starts the workers that `options` ask for. `device_name`:
  /// argument of a worker's --device. kNotFound: no program to start as a worker. Other errors:
  /// those of WorkerPool::open.
  static Result<std::unique_ptr<CandidateQueue>> start(const std::vector<TuningTask>& tasks,
                                                       const Device& device,
                                                       const std::string& device_name,
                                                       const TuneOptions& options);

  uint64_t submit(size_t task, const Schedule& schedule, Fidelity stage) override;
  Result<std::optional<Finished>> wait(std::chrono::milliseconds timeout) override;
  TuneTimes times() const override;

 private:
  /// Messages from the pool's threads, kept until the caller's thread forwards them.
  struct Mailbox {
    std::mutex mutex;
    std::vector<std::pair<LogLevel, std::string>> lines;
  };
  WorkerQueue(MessageSink sink, const std::atomic<bool>* cancel, std::shared_ptr<Mailbox> mailbox)
      : sink_(std::move(sink)), cancel_(cancel), mailbox_(std::move(mailbox)) {}
  void forward_messages();

  MessageSink sink_;
  const std::atomic<bool>* cancel_;  ///< set by the caller to cancel; may be null
  std::shared_ptr<Mailbox> mailbox_;
  std::vector<WorkerPool::Task> tasks_;
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace tinytune
