// Addresses that tuners listen on and workers dial: "unix:PATH" or "HOST:PORT".
#pragma once

#include <string>
#include <string_view>

#include "base/temporary_directory.h"
#include "tinytune/result.h"

namespace tinytune {

/// Longest path of a unix socket, without the terminating zero.
inline constexpr size_t kSocketPathBytes = 107;

struct Address {
  bool is_unix = false;
  std::string path;  ///< of a unix socket
  std::string host;
  int port = 0;
  std::string text() const;
};

/// Returns whether only processes of this machine can reach it.
bool is_private(const Address& address);

/// kInvalidInput: neither form, a path too long, a port out of range.
Result<Address> parse_address(std::string_view text);

/// Resolves the host's name. kInvalidInput: it is currently unknown.
Status check_host(const Address& address);

/// Checks whether this process could listen there. kFailed: another process does, or this one may
/// not; a stale socket file is ignored. kInvalidInput: the host is unknown.
Status check_unused(const Address& address);

/// Makes a directory for a socket, in the temporary folder, or in /tmp if that folder's name is too
/// long for a socket's path. kFailed: it cannot be made.
Result<TemporaryDirectory> make_socket_directory();

}  // namespace tinytune
