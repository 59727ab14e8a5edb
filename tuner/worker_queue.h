// The queue that measures for real: worker processes behind gRPC, local and remote.
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

/// More than this is a typing error.
inline constexpr int kMostWorkers = 1024;

class WorkerQueue : public CandidateQueue {
 public:
  /// Runs the reference once per task and starts the workers that `options` ask for. `device_name`
  /// is what a worker's --device takes. kNotFound: no program to start as a worker. Otherwise as
  /// WorkerPool::open.
  static Result<std::unique_ptr<CandidateQueue>> start(const std::vector<TuningTask>& tasks,
                                                       const Device& device,
                                                       const std::string& device_name,
                                                       const TuneOptions& options);

  uint64_t submit(size_t task, const Schedule& schedule, Fidelity stage) override;
  Result<std::optional<Finished>> wait(std::chrono::milliseconds timeout) override;
  TuneTimes times() const override;

 private:
  /// The pool speaks from its own threads; its words wait here for the caller's.
  struct Mailbox {
    std::mutex mutex;
    std::vector<std::pair<LogLevel, std::string>> lines;
  };
  WorkerQueue(MessageSink sink, const std::atomic<bool>* cancel, std::shared_ptr<Mailbox> mailbox)
      : sink_(std::move(sink)), cancel_(cancel), mailbox_(std::move(mailbox)) {}
  void forward_messages();

  MessageSink sink_;
  const std::atomic<bool>* cancel_;  ///< the caller's; null: never
  std::shared_ptr<Mailbox> mailbox_;
  std::vector<WorkerPool::Task> tasks_;
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace tinytune
