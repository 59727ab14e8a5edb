#include "rpc_device/boards/links/descriptor_link.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tinytune {
namespace {

// A board that accepts no byte for this long is lost.
constexpr int kWritePatienceMs = 5'000;

Error gone(const std::string& name, const std::string& why) {
  return Error(ErrorCode::kDeviceLost, name + ": " + why);
}

}  // namespace

Status DescriptorLink::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (written > 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno != EAGAIN) return gone(name_, std::strerror(errno));
    pollfd ready{descriptor_.get(), POLLOUT, 0};
    if (::poll(&ready, 1, kWritePatienceMs) == 0) return gone(name_, "takes no bytes");
  }
  return ok_status();
}

Result<size_t> DescriptorLink::read(std::span<uint8_t> bytes, std::chrono::milliseconds timeout) {
  pollfd ready{descriptor_.get(), POLLIN, 0};
  const int polled = ::poll(&ready, 1, static_cast<int>(std::max<int64_t>(timeout.count(), 0)));
  if (polled == 0 || (polled < 0 && errno == EINTR)) return size_t{0};
  if (polled < 0) return gone(name_, std::strerror(errno));
  const ssize_t got = ::read(descriptor_.get(), bytes.data(), bytes.size());
  if (got > 0) return static_cast<size_t>(got);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return size_t{0};
  return gone(name_, got == 0 ? "closed the link" : std::strerror(errno));
}

}  // namespace tinytune
