// The gRPC end of the tuner: one handler per connected worker, fed from a JobQueue.
//
// Handlers block a thread each. Workers are as many as a machine has cores, or a lab has boards:
// threads are cheaper than the state machines of gRPC's asynchronous interface.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "devices/device.h"
#include "measure/job.h"
#include "rpc_device/address.h"
#include "rpc_device/job_queue.h"
#include "rpc_device/worker_pool.h"

namespace tinytune {

/// Thread-safe.
class TunerService {
 public:
  struct Events {
    std::function<void(int64_t process)> job_finished;
    /// A process of this machine let its lease run out; its connection is closed already.
    std::function<void(int64_t process)> lease_expired;
  };

  /// kFailed: the address cannot be listened on.
  static Result<std::unique_ptr<TunerService>> listen(const Address& address, const Device& device,
                                                      JobQueue& queue, int lease_ms, Events events,
                                                      LogSink log);
  /// Ends every stream. The queue must be closed by then.
  ~TunerService();

  std::string address() const;
  size_t add_task(const TaskData& task);
  size_t connected() const;
  std::vector<WorkerStatistics> statistics() const;
  /// Ends connections whose lease has run out.
  void expire_leases();

 private:
  struct State;
  explicit TunerService(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
