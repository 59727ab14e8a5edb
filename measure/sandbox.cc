#include "measure/sandbox.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/descriptor.h"
#include "measure/sandbox_server.h"

namespace tinytune {

using sandbox_protocol::ReportHeader;
using sandbox_protocol::RequestHeader;

Result<Sandbox> Sandbox::start(const Function& function) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error(ErrorCode::kFailed, std::string("sandbox: socketpair: ") + std::strerror(errno));
  Descriptor ours(ends[0]), theirs(ends[1]);
  std::fflush(nullptr);  // or children would print this process's buffered output again
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0)
    return Error(ErrorCode::kFailed, std::string("sandbox: fork: ") + std::strerror(errno));
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);  // the parent died before the line above
    // If this process kept another sandbox's socket open, that server would never see it close.
    const auto kept = static_cast<unsigned>(theirs.get());
    if (kept > 3) ::close_range(3, kept - 1, 0);
    ::close_range(kept + 1, ~0U, 0);
    sandbox_protocol::serve(theirs.release(), function);
  }
  return Sandbox(ours.release(), pid);
}

Sandbox::Sandbox(Sandbox&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      server_pid_(std::exchange(other.server_pid_, -1)) {}

Sandbox::~Sandbox() {
  if (socket_ < 0) return;
  ::close(socket_);
  while (::waitpid(server_pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<SandboxReport> Sandbox::run(std::span<const uint8_t> request, const SandboxLimits& limits) {
  const int wall_ms = limits.wall_ms > 0 ? limits.wall_ms : std::max(30 * limits.cpu_ms, 60'000);
  const RequestHeader asked{limits.cpu_ms, wall_ms, limits.memory_bytes, request.size()};
  ReportHeader header{};
  SandboxReport report;
  bool ok = write_fully(socket_, &asked, sizeof asked) &&
            write_fully(socket_, request.data(), request.size()) &&
            read_fully(socket_, &header, sizeof header);
  if (ok) {
    report.end = header.end;
    report.detail.resize(header.detail_bytes);
    report.bytes.resize(header.size_bytes);
    ok = read_fully(socket_, report.detail.data(), report.detail.size()) &&
         read_fully(socket_, report.bytes.data(), report.bytes.size());
  }
  if (!ok) return Error(ErrorCode::kDeviceLost, "the sandbox's server process is gone");
  if (!header.started) return Error(ErrorCode::kFailed, report.detail);
  return report;
}

}  // namespace tinytune
