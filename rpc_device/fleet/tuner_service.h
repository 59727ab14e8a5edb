// The gRPC end of the tuner: streams of workers, and jobs from a JobQueue to those that are idle.
//
// gRPC's callback interface: a connection costs memory and no thread, so that a thousand of them
// that say nothing cost next to nothing. Their number is capped all the same.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "devices/device.h"
#include "measure/job.h"
#include "rpc_device/fleet/address.h"
#include "rpc_device/fleet/admission.h"
#include "rpc_device/fleet/job_queue.h"
#include "rpc_device/fleet/worker_pool.h"

namespace tinytune {

/// Thread-safe.
class TunerService {
 public:
  struct Events {
    std::function<void(int64_t process)> welcomed;
    std::function<void(int64_t process)> job_finished;
    /// A process of this machine was given up; its connection is closed already.
    std::function<void(int64_t process)> given_up;
  };

  /// Where workers find it: with keys, those of other machines are encrypted and show theirs, and
  /// those of this machine have a socket beside, which is not.
  struct Entrances {
    Address address;
    Admission admission;  ///< of those who dial it
    std::optional<Address> beside;
  };

  /// kFailed: an address cannot be listened on.
  static Result<std::unique_ptr<TunerService>> listen(const Entrances& entrances,
                                                      const Device& device, JobQueue& queue,
                                                      const WorkerPoolOptions& options,
                                                      Events events, LogSink log);
  /// Ends every stream in order, so that workers know that the run is over. The queue must be
  /// closed by then.
  ~TunerService();

  std::string address() const;
  size_t add_task(const TaskData& task);
  /// Workers that were welcomed and are still there.
  size_t connected() const;
  /// Whether one of them can build.
  bool has_builder() const;
  /// Whether one of them runs candidates, on boards or in simulators.
  bool has_runner(bool on_boards) const;
  PoolStatistics statistics() const;
  /// Why nobody who is there can go on: who could has been found unfit. Nothing: some can.
  std::optional<std::string> why_stuck() const;
  /// What kind of worker the jobs that wait need, where none is connected: "a worker that builds".
  std::optional<std::string> awaited() const;
  /// There is something in the queue.
  void hand_out();
  /// Gives up workers that are overdue, and hands out what waits. To be called a few times a
  /// second.
  void look_around();

 private:
  struct State;
  explicit TunerService(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
