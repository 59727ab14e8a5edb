#include "rpc_device/fleet/address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "base/descriptor.h"

namespace tinytune {
namespace {

constexpr std::string_view kUnix = "unix:";

Error malformed(std::string_view text, const std::string& why) {
  return Error(ErrorCode::kInvalidInput, "address '" + std::string(text) + "': " + why);
}

}  // namespace

std::string Address::text() const {
  return is_unix ? std::string(kUnix) + path : host + ":" + std::to_string(port);
}

bool is_private(const Address& address) {
  return address.is_unix || address.host == "localhost" || address.host.starts_with("127.") ||
         address.host == "[::1]";
}

Result<Address> parse_address(std::string_view text) {
  Address address;
  if (text.starts_with(kUnix)) {
    address.is_unix = true;
    address.path = text.substr(kUnix.size());
    if (address.path.empty()) return malformed(text, "no path");
    if (address.path.size() > kSocketPathBytes)
      return malformed(text, "a socket's path holds " + std::to_string(kSocketPathBytes) +
                                 " bytes, this one has " + std::to_string(address.path.size()));
    return address;
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0)
    return malformed(text, "expected unix:PATH or HOST:PORT");
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size() || address.port < 0 ||
      address.port > 65535)
    return malformed(text, "'" + std::string(port) + "' is not a port");
  address.host = text.substr(0, colon);
  return address;
}

namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

Result<std::unique_ptr<addrinfo, FreeAddresses>> resolve(const Address& address) {
  std::string host = address.host;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int looked_up =
      ::getaddrinfo(host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (looked_up == 0) return std::unique_ptr<addrinfo, FreeAddresses>(found);
  return Error(ErrorCode::kInvalidInput, "the host of address " + address.text() +
                                             " cannot be found: " + ::gai_strerror(looked_up));
}

// gRPC would fail too, but prints its own message on stderr.
Error cannot_listen(const Address& address, int why) {
  std::string advice;
  if (why == EADDRINUSE) advice = "; another process does: choose another port";
  if (why == EADDRNOTAVAIL) advice = "; it is no address of this machine: try 0.0.0.0:PORT";
  if (why == EACCES && !address.is_unix) advice = "; choose a port above 1023";
  if (address.is_unix) advice = "; name a path in a folder that exists and that you may write to";
  return Error(ErrorCode::kFailed,
               "cannot listen on " + address.text() + ": " + std::strerror(why) + advice);
}

Status try_bind(const Descriptor& socket, const Address& address, const sockaddr* to,
                socklen_t size) {
  return ::bind(socket.get(), to, size) == 0 ? ok_status() : Status(cannot_listen(address, errno));
}

Status check_bindable(const Address& address) {
  TT_TRY_ASSIGN(const auto found, resolve(address));
  const Descriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return try_bind(socket, address, found->ai_addr, found->ai_addrlen);
}

Status check_bindable_path(const Address& address) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, address.path.c_str(), address.path.size());
  const auto* place = reinterpret_cast<const sockaddr*>(&to);
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), place, sizeof to) == 0)
    return Error(ErrorCode::kFailed, address.text() + " is in use by another process");
  struct stat there {};
  if (::lstat(address.path.c_str(), &there) == 0) {
    if (S_ISSOCK(there.st_mode)) return ok_status();  // stale: its process has ended
    return Error(ErrorCode::kFailed, "cannot listen on " + address.text() +
                                         ": there is a file of that name, which is no socket");
  }
  const Descriptor trial(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  TT_TRY(try_bind(trial, address, place, sizeof to));
  ::unlink(address.path.c_str());
  return ok_status();
}

}  // namespace

Status check_host(const Address& address) {
  if (address.is_unix) return ok_status();
  TT_TRY(resolve(address));
  return ok_status();
}

Status check_unused(const Address& address) {
  return address.is_unix ? check_bindable_path(address) : check_bindable(address);
}

Result<TemporaryDirectory> make_socket_directory() {
  constexpr size_t kNames = 48;  // bytes for the names of the directory and of a socket in it
  const std::string chosen = temporary_folder();
  return TemporaryDirectory::create_in(
      chosen.size() + kNames > kSocketPathBytes ? std::string("/tmp") : chosen, "socket");
}

}  // namespace tinytune
