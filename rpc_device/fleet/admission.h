// Access control of a tuner's port: required credentials, and the permissions that they give.
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
  /// Without keys every caller is admitted: the port is private, or --insecure was given.
  Admission() = default;
  /// With tokens a worker need not present a certificate; if it does, it must be valid.
  Admission(LinkKeys keys, TokenList tokens) : keys_(std::move(keys)), tokens_(std::move(tokens)) {}

  std::shared_ptr<grpc::ServerCredentials> credentials() const;

  /// Returns the caller's permissions. kInvalidInput: none; the message is for both ends' logs.
  Result<Scope> admit(const grpc::CallbackServerContext& caller) const;

 private:
  std::optional<LinkKeys> keys_;
  TokenList tokens_;
};

}  // namespace tinytune
