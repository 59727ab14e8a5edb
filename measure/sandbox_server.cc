#include "measure/sandbox_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <new>

#include "base/descriptor.h"

namespace tinytune::sandbox_protocol {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// The first byte of what a child writes; the rest is the result or a message.
enum Verdict : uint8_t { kResult, kException, kMemory };

constexpr size_t kLastWordsBytes = 4096;

struct Pipe {
  Descriptor read_end, write_end;
  static bool open(Pipe& pipe) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    pipe.read_end = Descriptor(ends[0]);
    pipe.write_end = Descriptor(ends[1]);
    return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
  }
};

uint64_t address_space_bytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

void limit(__rlimit_resource resource, uint64_t value) {
  const rlimit both{value, value};
  ::setrlimit(resource, &both);
}

void apply(const RequestHeader& limits) {
  limit(RLIMIT_CORE, 0);
#ifndef __SANITIZE_ADDRESS__  // its shadow alone is terabytes of address space
  limit(RLIMIT_AS, address_space_bytes() + limits.memory_bytes);
#endif
}

int verdict_fd = -1;  // in a child only: a new-handler takes no arguments

[[noreturn]] void out_of_memory() {
  const Verdict verdict = kMemory;
  write_fully(verdict_fd, &verdict, 1);
  ::_exit(0);
}

[[noreturn]] void run_child(pid_t server, const RequestHeader& limits,
                            std::span<const uint8_t> request, const Sandbox::Function& function,
                            int result_fd, int words_fd) {
  ::setpgid(0, 0);  // so that what it starts ends with it, and a terminal's Ctrl-C is not for it
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != server) ::_exit(0);
  ::dup2(words_fd, STDOUT_FILENO);
  ::dup2(words_fd, STDERR_FILENO);
  apply(limits);
  // A handler of the host's, or of a linker that ran in it, would hide what ended the child.
  for (int signal = 1; signal < SIGRTMIN; ++signal)
    if (signal != SIGPIPE) ::signal(signal, SIG_DFL);
  ::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is an error of write(), and not of the candidate
  verdict_fd = result_fd;
  std::set_new_handler(out_of_memory);
  Verdict verdict = kResult;
  try {
    const std::vector<uint8_t> result = function(request);
    write_fully(result_fd, &verdict, 1);
    write_fully(result_fd, result.data(), result.size());
  } catch (const std::exception& e) {
    verdict = kException;
    write_fully(result_fd, &verdict, 1);
    write_fully(result_fd, e.what(), std::strlen(e.what()));
  }
  std::fflush(nullptr);
  ::_exit(0);
}

// The last line that is not empty: LLVM and Halide say there why they stopped.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.rfind('\n') + 1).substr(0, 300);
}

enum class Cut { kNo, kCpuTime, kWallTime };

struct Gathered {
  std::vector<uint8_t> bytes;
  std::string words;
  Cut cut = Cut::kNo;
};

// Processor time of a child; also of one that has ended, until it is waited for.
milliseconds cpu_time_of(pid_t child) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(child, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    return milliseconds(0);
  return milliseconds(used.tv_sec * 1000 + used.tv_nsec / 1'000'000);
}

milliseconds cpu_time_of(const rusage& usage) {
  const auto of = [](const timeval& t) {
    return milliseconds(int64_t{t.tv_sec} * 1000 + t.tv_usec / 1000);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

// Nothing wakes us when the child's clock strikes, so we look again: no sooner than what is left of
// it can have passed on one core, and not all the time for a child that is never let run.
milliseconds time_until_next_look(pid_t child, const RequestHeader& limits,
                                  Clock::time_point deadline, Cut& cut) {
  const auto wall_left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  const auto cpu_left = milliseconds(limits.cpu_ms) - cpu_time_of(child);
  if (cpu_left <= milliseconds(0))
    cut = Cut::kCpuTime;
  else if (wall_left <= milliseconds(0))
    cut = Cut::kWallTime;
  return std::min(wall_left, std::max(cpu_left, milliseconds(10)));
}

// One of the child's two streams.
struct Stream {
  int fd;
  std::function<void(std::span<const char>)> take;

  /// False once there is nothing now, or will never be.
  bool read_some(std::span<char> buffer) {
    if (fd < 0) return false;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0) take(buffer.first(static_cast<size_t>(n)));
    if (n > 0 || (n < 0 && errno == EINTR)) return true;
    if (n == 0 || errno != EAGAIN) fd = -1;
    return false;
  }
};

// Reads until the child has ended or its time is up, then ends what it left running. A caller that
// went away ends us.
Gathered gather(pid_t child, int child_fd, int caller, int result_fd, int words_fd,
                const RequestHeader& limits) {
  const auto deadline = Clock::now() + milliseconds(limits.wall_ms);
  Gathered got;
  Stream result{result_fd, [&](std::span<const char> some) {
                  got.bytes.insert(got.bytes.end(), some.begin(), some.end());
                }};
  Stream words{words_fd, [&](std::span<const char> some) {
                 got.words.append(some.data(), some.size());
                 if (got.words.size() > 2 * kLastWordsBytes)
                   got.words.erase(0, got.words.size() - kLastWordsBytes);
               }};
  std::vector<char> buffer(1 << 16);
  for (bool ended = false; !ended && got.cut == Cut::kNo;) {
    const auto wait = time_until_next_look(child, limits, deadline, got.cut);
    if (got.cut != Cut::kNo) break;
    pollfd fds[] = {
        {child_fd, POLLIN, 0}, {caller, POLLIN, 0}, {result.fd, POLLIN, 0}, {words.fd, POLLIN, 0}};
    if (::poll(fds, std::size(fds), static_cast<int>(wait.count())) < 0) continue;
    if (fds[1].revents != 0) {  // nobody asks while we work: the caller has closed
      ::kill(-child, SIGKILL);
      ::kill(child, SIGKILL);
      ::_exit(0);
    }
    if (fds[2].revents != 0) result.read_some(buffer);
    if (fds[3].revents != 0) words.read_some(buffer);
    ended = fds[0].revents != 0;
  }
  if (got.cut != Cut::kNo) ::kill(child, SIGKILL);
  ::kill(-child, SIGKILL);  // and whatever it started, before its number can be given away
  while (result.read_some(buffer)) {
  }
  while (words.read_some(buffer)) {
  }
  return got;
}

// Signals that a process brings on itself. Any other was sent: by the kernel when memory is short
// (SIGKILL), by whoever ends a session or a job.
bool is_its_own(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGABRT:
    case SIGFPE:
    case SIGILL:
    case SIGBUS:
    case SIGTRAP:
    case SIGSYS:
      return true;
    default:
      return false;
  }
}

SandboxReport judge(Gathered got, int status, milliseconds cpu_time, const RequestHeader& limits) {
  SandboxReport report;
  const std::string words = last_line(std::move(got.words));
  const auto say = [&](SandboxEnd end, std::string why) {
    report.end = end;
    report.detail = std::move(why) + (words.empty() ? "" : ": " + words);
    return report;
  };
  // By the clock of the whole child, so that it does not matter whether we looked in time.
  if (got.cut == Cut::kCpuTime || cpu_time >= milliseconds(limits.cpu_ms))
    return say(SandboxEnd::kCpuTime,
               "no result in " + std::to_string(limits.cpu_ms) + " ms of processor time");
  if (got.cut == Cut::kWallTime)
    return say(SandboxEnd::kStuck, "no result in " + std::to_string(limits.wall_ms) + " ms");
  if (WIFSIGNALED(status))
    return say(is_its_own(WTERMSIG(status)) ? SandboxEnd::kCrashed : SandboxEnd::kKilled,
               std::string("ended by signal ") + strsignal(WTERMSIG(status)));
  if (got.bytes.empty() || WEXITSTATUS(status) != 0)
    return say(SandboxEnd::kCrashed, "exited without a result");
  const auto verdict = static_cast<Verdict>(got.bytes.front());
  got.bytes.erase(got.bytes.begin());
  if (verdict == kMemory)
    return say(SandboxEnd::kOutOfMemory,
               "needs more than " + std::to_string(limits.memory_bytes >> 20) + " MiB");
  if (verdict == kException) {
    report.detail = last_line(std::string(got.bytes.begin(), got.bytes.end()));
    return report;
  }
  report.end = SandboxEnd::kReturned;
  report.bytes = std::move(got.bytes);
  return report;
}

// kFailed: no child could be made.
Result<SandboxReport> call(int caller, const RequestHeader& limits,
                           std::span<const uint8_t> request, const Sandbox::Function& function) {
  const auto cannot = [](const char* what) {
    return Error(ErrorCode::kFailed, std::string(what) + ": " + std::strerror(errno));
  };
  Pipe result, words;
  if (!Pipe::open(result) || !Pipe::open(words)) return cannot("pipe");
  const pid_t server = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return cannot("fork");
  if (child == 0) {
    ::close(caller);
    run_child(server, limits, request, function, result.write_end.get(), words.write_end.get());
  }
  ::setpgid(child, child);  // both sides say it: whoever comes first
  result.write_end.reset();
  words.write_end.reset();
  const Descriptor child_fd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (child_fd.get() < 0) {
    const Error error = cannot("pidfd_open");
    ::kill(-child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return error;
  }
  Gathered got =
      gather(child, child_fd.get(), caller, result.read_end.get(), words.read_end.get(), limits);
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  return judge(std::move(got), status, cpu_time_of(usage), limits);
}

}  // namespace

void serve(int socket, const Sandbox::Function& function) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);  // or nobody could say how a candidate ended
  RequestHeader header;
  while (read_fully(socket, &header, sizeof header)) {
    std::vector<uint8_t> request(header.size_bytes);
    if (!read_fully(socket, request.data(), request.size())) break;
    const auto called = call(socket, header, request, function);
    SandboxReport report;
    if (called)
      report = *called;
    else
      report.detail = called.error().message();
    const ReportHeader reply{called.has_value(), report.end, report.detail.size(),
                             report.bytes.size()};
    if (!write_fully(socket, &reply, sizeof reply) ||
        !write_fully(socket, report.detail.data(), report.detail.size()) ||
        !write_fully(socket, report.bytes.data(), report.bytes.size()))
      break;
  }
  ::_exit(0);
}

}  // namespace tinytune::sandbox_protocol
