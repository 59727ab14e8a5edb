// The wire end of a worker without the worker: says whatever a test wants a tuner to hear.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "devices/device.h"
#include "rpc_device/fleet/tuner.pb.h"

namespace grpc {
class Status;
}

namespace tinytune {

/// A Hello that is welcome.
rpc::Hello hello_of(const Device& device);

class RawWorker {
 public:
  explicit RawWorker(const std::string& address);
  ~RawWorker();

  bool say(const rpc::FromWorker& message);
  bool say(const rpc::Hello& hello);
  bool say_alive();
  void start(const rpc::Job& job);
  /// Hello, heartbeat, and what comes until a job does.
  std::optional<rpc::Job> take_job(const Device& device);
  std::optional<rpc::ToWorker> hear();
  /// How the tuner ended the stream, after what it still says.
  grpc::Status end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
