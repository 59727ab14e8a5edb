// A worker's link to its tuner: dials, reads ahead, and sends a heartbeat every second.
//
// Reading ahead notices the tuner's death during a job instead of after it. It is bounded: a tuner
// has no reason to send much during a job, and one that does has to wait.
#pragma once

#include <memory>
#include <optional>

#include "rpc_device/fleet/address.h"
#include "rpc_device/fleet/keys.h"
#include "tinytune/result.h"

namespace tinytune {

namespace rpc {  // of tuner.proto
class FromWorker;
class ToWorker;
}  // namespace rpc

class TunerLink {
 public:
  /// Connects, encrypted if there are `keys`. kFailed: no tuner answers, the keys' authority did
  /// not sign its certificate, or it does not accept our keys.
  static Result<std::unique_ptr<TunerLink>> dial(const Address& address,
                                                 const std::optional<LinkKeys>& keys,
                                                 int timeout_ms);
  ~TunerLink();

  /// Sends Hello, waits for the Welcome or Refusal, and starts heartbeats. kFailed: no answer.
  Result<rpc::ToWorker> introduce(const rpc::FromWorker& hello, int timeout_ms);

  /// Waits for the next message and returns it, checked; nullopt once the stream has ended.
  std::optional<rpc::ToWorker> next();
  /// Sends a message, from any thread. next() notices a broken stream.
  void send(const rpc::FromWorker& message);

  /// To be called after next() returned nullopt. kFailed: the tuner did not end the stream
  /// properly, or sent an invalid message.
  Status end();
  /// Ends the stream from this side.
  void hang_up();

 private:
  struct State;
  explicit TunerLink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
