#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "rpc_device/boards/links/descriptor_link.h"

namespace tinytune {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

// Connects within the timeout; returns the reason of a failure, empty: connected.
std::string connect_within(int fd, const addrinfo& to, std::chrono::milliseconds timeout) {
  if (::connect(fd, to.ai_addr, to.ai_addrlen) == 0) return "";
  if (errno != EINPROGRESS) return std::strerror(errno);
  pollfd ready{fd, POLLOUT, 0};
  if (::poll(&ready, 1, static_cast<int>(timeout.count())) <= 0) return "no answer";
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? "" : std::strerror(error);
}

}  // namespace

Result<std::unique_ptr<ByteLink>> open_tcp_link(const std::string& address,
                                                std::chrono::milliseconds timeout) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon + 1 == address.size())
    return Error(ErrorCode::kInvalidInput, "'" + address + "' is no HOST:PORT");
  std::string host = colon == 0 ? "localhost" : address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = address.substr(colon + 1);
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found)) {
    if (error == EAI_SERVICE)
      return Error(ErrorCode::kInvalidInput, "'" + address + "': '" + port + "' is no port");
    return Error(ErrorCode::kDeviceLost,
                 "the host '" + host + "' cannot be found: " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  std::string why = "no address";
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Descriptor fd(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd.get() < 0) continue;
    why = connect_within(fd.get(), *one, timeout);
    if (!why.empty()) continue;
    const int on = 1;  // packets are small, and each is followed by a wait for its answer
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return std::unique_ptr<ByteLink>(std::make_unique<DescriptorLink>(std::move(fd), address));
  }
  return Error(ErrorCode::kDeviceLost, "nobody answers at " + address + ": " + why);
}

}  // namespace tinytune
