// The server half of a sandbox: the process that forks a child for each call. See sandbox.h.
#pragma once

#include <cstdint>

#include "measure/sandbox.h"

namespace tinytune::sandbox_protocol {

/// Headers of a request and of a report on the socket between sandbox and server.
struct RequestHeader {
  int32_t cpu_ms, wall_ms;
  uint64_t memory_bytes, size_bytes;
};
struct ReportHeader {
  bool started;  ///< false: no child could be made; the detail says why
  SandboxEnd end;
  uint64_t detail_bytes, size_bytes;
};

/// Serves until the other end of `socket` closes, then ends the process.
[[noreturn]] void serve(int socket, const Sandbox::Function& function);

}  // namespace tinytune::sandbox_protocol
