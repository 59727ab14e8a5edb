// Addresses that tuners listen on and workers dial: "unix:PATH" or "HOST:PORT".
#pragma once

#include <string>
#include <string_view>

#include "base/temporary_directory.h"
#include "tinytune/result.h"

namespace tinytune {

/// What a socket's address can hold, without the terminating zero.
inline constexpr size_t kSocketPathBytes = 107;

struct Address {
  bool is_unix = false;
  std::string path;  ///< of a unix socket
  std::string host;
  int port = 0;
  std::string text() const;
};

/// Only processes of this machine reach it.
bool is_private(const Address& address);

/// kInvalidInput: neither form, a path too long, a port out of range.
Result<Address> parse_address(std::string_view text);

/// kInvalidInput: the host is not known here and now.
Status check_host(const Address& address);

/// kFailed: another process listens there, or this one may not; a socket file that nobody answers
/// is in no one's way. kInvalidInput: a host that is not known.
Status check_unused(const Address& address);

/// Where a socket can be. In the temporary folder; in /tmp where that one's name leaves no room for
/// a socket's. kFailed: none can be made.
Result<TemporaryDirectory> make_socket_directory();

}  // namespace tinytune
