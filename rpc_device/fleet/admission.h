// Who may talk to a tuner: what its port asks of those who dial, and what the answer allows.
#pragma once

#include <memory>
#include <optional>

#include "rpc_device/fleet/keys.h"
#include "rpc_device/fleet/tokens.h"
#include "tinytune/result.h"

namespace grpc {
class CallbackServerContext;
class ServerCredentials;
}  // namespace grpc

namespace tinytune {

/// Immutable, so thread-safe.
class Admission {
 public:
  /// Without keys everybody is let in: the port is private, or somebody typed --insecure.
  Admission() = default;
  /// With tokens a worker need not show a certificate; one that is shown has to be good.
  Admission(LinkKeys keys, TokenList tokens) : keys_(std::move(keys)), tokens_(std::move(tokens)) {}

  std::shared_ptr<grpc::ServerCredentials> credentials() const;

  /// What this caller may do. kInvalidInput: nothing; the line is for both ends' logs.
  Result<Scope> admit(const grpc::CallbackServerContext& caller) const;

 private:
  std::optional<LinkKeys> keys_;
  TokenList tokens_;
};

}  // namespace tinytune
