// The wire end of a worker without the worker: sends whatever a test wants a tuner to receive.
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

/// Returns a Hello that a tuner welcomes.
rpc::Hello hello_of(const Device& device);

class RawWorker {
 public:
  explicit RawWorker(const std::string& address);
  ~RawWorker();

  bool say(const rpc::FromWorker& message);
  bool say(const rpc::Hello& hello);
  bool say_alive();
  void start(const rpc::Job& job);
  /// Sends Hello and a heartbeat, and reads messages until a job arrives.
  std::optional<rpc::Job> take_job(const Device& device);
  std::optional<rpc::ToWorker> hear();
  /// Reads what the tuner still sends; returns the status with which it ended the stream.
  grpc::Status end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
