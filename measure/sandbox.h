// A sandbox: runs a function of bytes in its own process, which may crash, hang or exhaust memory.
//
// A new process that loads Halide and LLVM costs 30-40 ms before it does any work. A fork of a warm
// one costs under 1 ms, and some 8 ms of page faults until LLVM is warm in it again. So a
// single-threaded server process is forked once, before this process starts any thread, and forks a
// child that serves calls until one fails. If the child had served earlier calls, a call that
// crashes or exhausts memory is repeated in a new child, whose answer counts. The server must not
// be forked later: a fork copies locks held by other threads without the threads to release them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

struct SandboxLimits {
  /// Processor time of the child. Wall time would measure the machine's load, not the child.
  int cpu_ms = 20'000;
  uint64_t memory_bytes = uint64_t{1} << 30;  ///< address space beyond the server's own
  /// Wall time, generous: only a child that waits for ever or is never scheduled reaches it. 0: 30
  /// times `cpu_ms`, and at least a minute.
  int wall_ms = 0;
};

enum class SandboxEnd {
  kReturned,
  // Caused by the function: reproducible.
  kCpuTime,
  kOutOfMemory,
  kCrashed,  ///< a signal that a process brings on itself, an exception, an exit
  // Not caused by the function, or unknown.
  kKilled,  ///< a signal from outside: from the kernel short of memory, or from an operator
  kStuck,   ///< the wall time ran out before the processor time
};

struct SandboxReport {
  SandboxEnd end = SandboxEnd::kCrashed;
  /// One line, with the last line that the child printed, if any; empty for kReturned.
  std::string detail;
  std::vector<uint8_t> bytes;  ///< the function's return value; empty unless kReturned
};

/// Not thread-safe: one call at a time.
class Sandbox {
 public:
  struct Answer {
    Answer(std::vector<uint8_t> answered, bool marked = false)
        : bytes(std::move(answered)), leaves_marks(marked) {}
    std::vector<uint8_t> bytes;
    bool leaves_marks;  ///< the call changed process state that affects later calls: end the child
  };
  using Function = std::function<Answer(std::span<const uint8_t>)>;

  /// Forks the server. Must be called while this process has a single thread, which must outlive
  /// the sandbox: the kernel ends the server with the thread that forked it. kFailed: cannot fork.
  static Result<Sandbox> start(const Function& function);

  Sandbox(Sandbox&& other) noexcept;
  Sandbox& operator=(Sandbox&&) = delete;
  /// Ends the server and its child.
  ~Sandbox();

  /// Calls the function in the child; any failure of the child is a report, not an error. kFailed:
  /// no child could be made because this machine lacks a process or descriptor; may be temporary.
  /// kDeviceLost: the server is gone.
  Result<SandboxReport> run(std::span<const uint8_t> request, const SandboxLimits& limits);

  int server_pid() const { return server_pid_; }

 private:
  Sandbox(int socket, int server_pid) : socket_(socket), server_pid_(server_pid) {}
  int socket_ = -1;
  int server_pid_ = -1;
};

}  // namespace tinytune
