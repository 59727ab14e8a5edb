// The tuner's gRPC server: accepts workers' streams and leases jobs of a JobQueue to idle workers.
//
// Uses gRPC's callback interface: a connection costs memory but no thread, so a thousand silent
// connections are cheap. Their number is limited nevertheless.
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
    /// A process of this machine was given up; its connection is already closed.
    std::function<void(int64_t process)> given_up;
  };

  /// Addresses for workers. With keys, `address` is encrypted and requires credentials; workers of
  /// this machine then use the unencrypted socket `beside`.
  struct Entrances {
    Address address;
    Admission admission;  ///< for `address`
    std::optional<Address> beside;
  };

  /// Starts the server. kFailed: it cannot listen on an address.
  static Result<std::unique_ptr<TunerService>> listen(const Entrances& entrances,
                                                      const Device& device, JobQueue& queue,
                                                      const WorkerPoolOptions& options,
                                                      Events events, LogSink log);
  /// Ends every stream properly, so that workers know that the run is over. The queue must already
  /// be closed.
  ~TunerService();

  std::string address() const;
  size_t add_task(const TaskData& task);
  /// Returns the number of welcomed workers that are connected.
  size_t connected() const;
  /// Returns whether one of them can build.
  bool has_builder() const;
  /// Returns whether one of them runs candidates, on boards or in simulators.
  bool has_runner(bool on_boards) const;
  PoolStatistics statistics() const;
  /// Returns why no connected worker can continue: all suitable ones were found unfit. nullopt: at
  /// least one can, or no job waits.
  std::optional<std::string> why_stuck() const;
  /// Returns the kind of worker that waiting jobs need, "a worker that builds"; nullopt if one is
  /// connected.
  std::optional<std::string> awaited() const;
  /// Leases waiting jobs to idle workers. To be called after jobs were queued.
  void hand_out();
  /// Gives up overdue workers and leases waiting jobs. To be called a few times a second.
  void look_around();

 private:
  struct State;
  explicit TunerService(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
