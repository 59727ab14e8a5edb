// Keys for links between machines: a certificate authority of one's own, and who it vouches for.
//
// Both ends show a certificate (mutual TLS), so a stranger can neither give work nor take it, and
// nobody on the way reads it. A worker's certificate says what it may do: build, run, or both. See
// doc/adr/0043-links-between-machines-are-tls.md.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "tinytune/result.h"

namespace tinytune {

/// The name that a tuner's certificate is checked for: its authority is private, so no host needs
/// one.
inline constexpr std::string_view kTunerName = "tuner.tinytune", kWorkerName = "worker.tinytune";

/// What a process needs to talk: PEM texts.
struct LinkKeys {
  std::string authority;    ///< the certificate that vouches for the other end
  std::string certificate;  ///< ours
  std::string key;          ///< private
};

/// "ca.pem", "cert.pem" and "key.pem" of a directory that write_keys() made. kNotFound: one is
/// missing. kInvalidInput: the key can be read by others.
Result<LinkKeys> read_keys(const std::string& directory);

struct KeyOptions {
  int days = 365;
  bool may_build = true, may_run = true;  ///< of the workers that hold worker/
};

/// Makes an authority in `directory` unless there is one, and certificates of it in tuner/ and
/// worker/. kFailed: cannot write, or what is there is no authority.
Status write_keys(const std::string& directory, const KeyOptions& options = {});

/// What a worker's certificate allows, from the subject that gRPC tells of it; nothing: it is none.
struct WorkerScope {
  bool may_build = false, may_run = false;
};
WorkerScope scope_of_subject(std::string_view subject);

}  // namespace tinytune
