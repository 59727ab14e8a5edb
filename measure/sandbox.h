// A sandbox: runs a function of bytes in a process of its own, which may crash, hang or eat memory.
//
// A new process that loads Halide and LLVM costs 30-40 ms before it does anything; a fork of a warm
// one costs under 1 ms, and some 8 ms of page faults until LLVM is warm in it again. So a
// single-threaded server process is forked once, before this process starts any thread, and forks a
// child that serves calls until one of them goes wrong. What goes wrong in a child that served
// others before is asked again of a new one, whose answer counts. The server must not be forked
// later: a fork copies locks that other threads hold, and not the threads that would release them.
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
  /// Processor time of the child. Wall time would judge the machine's load, not the child.
  int cpu_ms = 20'000;
  uint64_t memory_bytes = uint64_t{1} << 30;  ///< address space beyond the server's own
  /// Wall time that only a child which waits for ever, or is never let run, can use up. 0: thirty
  /// times its processor time, and at least a minute.
  int wall_ms = 0;
};

enum class SandboxEnd {
  kReturned,
  // The function's own doing: it would end like this again.
  kCpuTime,
  kOutOfMemory,
  kCrashed,  ///< a signal that a process brings on itself, an exception, an exit
  // Not the function's doing, or nobody can tell.
  kKilled,  ///< a signal from outside: the kernel short of memory, an operator
  kStuck,   ///< the wall time ran out before the processor time did
};

struct SandboxReport {
  SandboxEnd end = SandboxEnd::kCrashed;
  /// One line; empty for kReturned. The child's own last words, if it had any.
  std::string detail;
  std::vector<uint8_t> bytes;  ///< what the function returned; empty unless kReturned
};

/// Not thread-safe: one call at a time.
class Sandbox {
 public:
  struct Answer {
    Answer(std::vector<uint8_t> answered, bool marked = false)
        : bytes(std::move(answered)), leaves_marks(marked) {}
    std::vector<uint8_t> bytes;
    bool leaves_marks;  ///< in the process, which later calls could tell: it is not used again
  };
  using Function = std::function<Answer(std::span<const uint8_t>)>;

  /// Forks the server. Call it while this process has one thread, from a thread that outlives the
  /// sandbox: the kernel ends the server with the thread that made it. kFailed: no process.
  static Result<Sandbox> start(const Function& function);

  Sandbox(Sandbox&& other) noexcept;
  Sandbox& operator=(Sandbox&&) = delete;
  /// Ends the server and a child that still runs.
  ~Sandbox();

  /// Whatever happens to the child is a report. kFailed: there was no child, because this machine
  /// has no process or descriptor left; it may have one later. kDeviceLost: the server is gone.
  Result<SandboxReport> run(std::span<const uint8_t> request, const SandboxLimits& limits);

  int server_pid() const { return server_pid_; }

 private:
  Sandbox(int socket, int server_pid) : socket_(socket), server_pid_(server_pid) {}
  int socket_ = -1;
  int server_pid_ = -1;
};

}  // namespace tinytune
