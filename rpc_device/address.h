// Addresses that tuners listen on and workers dial: "unix:PATH" or "HOST:PORT".
#pragma once

#include <string>
#include <string_view>

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

/// kInvalidInput: neither form, a path too long, a port out of range.
Result<Address> parse_address(std::string_view text);

/// kFailed: another process listens there, or this one may not; a socket file that nobody answers
/// is in no one's way. kInvalidInput: a host that is not known.
Status check_unused(const Address& address);

/// A new directory, removed with what is in it.
class SocketDirectory {
 public:
  /// kFailed: no directory can be made, or its name is too long for a socket's address.
  static Result<SocketDirectory> create();
  SocketDirectory() = default;
  SocketDirectory(SocketDirectory&& other) noexcept;
  SocketDirectory& operator=(SocketDirectory&& other) noexcept;
  ~SocketDirectory();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tinytune
