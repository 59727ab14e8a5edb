// A worker's line to its tuner: dials, reads ahead, and says every second that it lives.
//
// Reading ahead notices the tuner's death during a job and not after it. What is read ahead is
// bounded: a tuner has no reason to send much while a job is under way, and one that does waits.
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
  /// Encrypted if there are `keys`. kFailed: no tuner answers, or none that the keys' authority
  /// vouches for, or one that does not take ours.
  static Result<std::unique_ptr<TunerLink>> dial(const Address& address,
                                                 const std::optional<LinkKeys>& keys,
                                                 int timeout_ms);
  ~TunerLink();

  /// Says Hello and waits for the Welcome or Refusal; heartbeats begin. kFailed: neither comes.
  Result<rpc::ToWorker> introduce(const rpc::FromWorker& hello, int timeout_ms);

  /// The next message, checked; nothing once the stream has ended.
  std::optional<rpc::ToWorker> next();
  /// Any thread. That the stream is broken is for next() to notice.
  void send(const rpc::FromWorker& message);

  /// After next() returned nothing: kFailed if the tuner did not end the stream in order, or sent
  /// what no tuner sends.
  Status end();
  /// Ends the stream from this side.
  void hang_up();

 private:
  struct State;
  explicit TunerLink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
