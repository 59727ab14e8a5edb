// A worker's jobs: assembles tasks and images, executes jobs, answers. Independent of the wire.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "rpc_device/fleet/pieces.h"
#include "rpc_device/fleet/worker.h"
#include "tinytune/result.h"

namespace tinytune {

namespace rpc {  // of tuner.proto
class FromWorker;
class Job;
class TaskHead;
class ToWorker;
}  // namespace rpc

class JobLoop {
 public:
  using Send = std::function<void(const rpc::FromWorker&)>;

  /// `jobs` must outlive the loop.
  JobLoop(const JobFunctions& jobs, Send send);
  ~JobLoop();

  /// Handles a message that has passed check_message(). kInvalidInput: the tuner violates the
  /// protocol. Other errors come from a job function and end the worker.
  Status handle(const rpc::ToWorker& message);

 private:
  struct Announced {  // a task, or a job with an image, whose bytes follow in pieces
    std::unique_ptr<rpc::TaskHead> task;
    std::unique_ptr<rpc::Job> job;
    Assembly bytes;
  };
  Status expect(Announced announced);
  Status add_piece(const std::string& piece);
  Status announce_task(const rpc::TaskHead& head);
  Status work(const rpc::Job& job, const std::string& image);
  Status answer(const rpc::Job& job, const Result<BuiltCandidate>& done);
  Result<BuiltCandidate> do_step(const rpc::Job& job, const TaskData& task,
                                 const std::string& image) const;

  const JobFunctions& jobs_;
  const Send send_;
  std::map<std::string, TaskData> tasks_;  ///< by id
  uint64_t task_bytes_ = 0;                ///< sum over all tasks
  std::optional<Announced> announced_;
};

}  // namespace tinytune
