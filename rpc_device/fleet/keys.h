// Keys for links between machines: a certificate authority of one's own, and who it vouches for.
//
// The tuner shows a certificate, so nobody can pass for it and nobody on the way reads anything. A
// worker shows one too, or a token (tokens.h). Either says what it may do (scope.h). See
// doc/adr/0043-tls-certificates-tokens.md.
#pragma once

#include <string>
#include <string_view>

#include "rpc_device/fleet/scope.h"
#include "tinytune/result.h"

namespace tinytune {

/// The name that a tuner's certificate is checked for: its authority is private, so no host needs
/// one.
inline constexpr std::string_view kTunerName = "tuner.tinytune", kWorkerName = "worker.tinytune";

/// What a process needs to talk: PEM texts, or a token in place of the last two.
struct LinkKeys {
  std::string authority;    ///< the certificate that vouches for the other end
  std::string certificate;  ///< ours
  std::string key;          ///< private
  std::string token;        ///< secret
};

/// Of a directory that write_keys() made: "ca.pem", and "token" or "cert.pem" and "key.pem".
/// kNotFound: one is missing. kInvalidInput: others may read what is secret.
Result<LinkKeys> read_keys(const std::string& directory);

/// In words, where the certificate's days are over; empty otherwise.
std::string why_expired(const LinkKeys& keys);

struct KeyOptions {
  int days = 365;
  std::string name = "worker";  ///< the directory of whoever gets them
  bool token = false;           ///< instead of a certificate
  Scope scope = {.build = true, .run = true, .device = true};
};

/// Makes an authority in `directory` unless there is one, keys of it for a tuner in tuner/, and
/// keys for somebody else in a directory of that name. kFailed: cannot write, or what is there is
/// no authority. kInvalidInput: a name that is none, or "tuner".
Status write_keys(const std::string& directory, const KeyOptions& options = {});

/// The file of tuner/ that lists the tokens which that tuner takes.
inline constexpr char kTokenListName[] = "tokens";

/// What a worker's certificate allows, from the subject that gRPC tells of it; nothing: it is none.
Scope scope_of_subject(std::string_view subject);

}  // namespace tinytune
