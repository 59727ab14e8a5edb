// Keys for links between machines: a private certificate authority and certificates signed by it.
//
// The tuner presents a certificate, so it cannot be impersonated and traffic is encrypted. A worker
// presents one too, or a token (tokens.h). Both define the worker's permissions (scope.h). See
// doc/adr/0043-tls-certificates-tokens.md.
#pragma once

#include <string>
#include <string_view>

#include "rpc_device/fleet/scope.h"
#include "tinytune/result.h"

namespace tinytune {

/// Names in certificates. They replace host names, because the authority is private to the fleet.
inline constexpr std::string_view kTunerName = "tuner.tinytune", kWorkerName = "worker.tinytune";

/// A process's credentials: PEM texts, or a token instead of `certificate` and `key`.
struct LinkKeys {
  std::string authority;    ///< certificate that verifies the other end
  std::string certificate;  ///< own certificate
  std::string key;          ///< private key
  std::string token;        ///< secret
};

/// Reads a directory that write_keys() made: "ca.pem", and "token" or "cert.pem" and "key.pem".
/// kNotFound: one is missing. kInvalidInput: other users may read a secret file.
Result<LinkKeys> read_keys(const std::string& directory);

/// Returns a message if the certificate has expired; empty otherwise.
std::string why_expired(const LinkKeys& keys);

struct KeyOptions {
  int days = 365;               ///< validity
  std::string name = "worker";  ///< holder of the keys, and their directory
  bool token = false;           ///< a token instead of a certificate
  Scope scope = {.build = true, .run = true, .device = true};
};

/// Makes an authority in `directory` unless there is one, a tuner's keys in tuner/, and keys for
/// options.name in the directory of that name. kFailed: cannot write, or `directory` contains an
/// invalid authority. kInvalidInput: the name is invalid, or "tuner".
Status write_keys(const std::string& directory, const KeyOptions& options = {});

/// The file in tuner/ that lists the tokens accepted by the tuner.
inline constexpr char kTokenListName[] = "tokens";

/// Returns the permissions in a worker's certificate, from the subject as reported by gRPC; none if
/// it is not a worker's certificate.
Scope scope_of_subject(std::string_view subject);

}  // namespace tinytune
