#include "measure/sandbox_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>

#include "measure/descriptor.h"

namespace tinytune::sandbox_protocol {
namespace {

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
    return true;
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
  limit(RLIMIT_CPU, static_cast<uint64_t>(limits.timeout_ms) / 1000 + 2);
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

struct Gathered {
  std::vector<uint8_t> bytes;
  std::string words;
  bool timed_out = false;
};

// Reads until the child has closed both pipes or its time is up. A caller that went away ends us.
Gathered gather(pid_t child, int caller, int result_fd, int words_fd, Clock::time_point deadline) {
  Gathered got;
  std::vector<char> buffer(1 << 16);
  pollfd fds[] = {{result_fd, POLLIN, 0}, {words_fd, POLLIN, 0}, {caller, POLLIN, 0}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      got.timed_out = true;
      return got;
    }
    if (::poll(fds, 3, static_cast<int>(left)) < 0) continue;
    if (fds[2].revents != 0) {  // nobody asks while we work: the caller has closed
      ::kill(-child, SIGKILL);
      ::kill(child, SIGKILL);
      ::_exit(0);
    }
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const ssize_t n = ::read(fds[i].fd, buffer.data(), buffer.size());
      if (n > 0 && i == 0) got.bytes.insert(got.bytes.end(), buffer.data(), buffer.data() + n);
      if (n > 0 && i == 1) {
        got.words.append(buffer.data(), static_cast<size_t>(n));
        if (got.words.size() > 2 * kLastWordsBytes)
          got.words.erase(0, got.words.size() - kLastWordsBytes);
      }
      if (n == 0 || (n < 0 && errno != EINTR)) fds[i].fd = -1;
    }
  }
  return got;
}

SandboxReport judge(Gathered got, int status, const RequestHeader& limits) {
  SandboxReport report;
  const std::string words = last_line(std::move(got.words));
  const auto say = [&](SandboxEnd end, std::string why) {
    report.end = end;
    report.detail = std::move(why) + (words.empty() ? "" : ": " + words);
    return report;
  };
  if (got.timed_out)
    return say(SandboxEnd::kTimeout, "no result in " + std::to_string(limits.timeout_ms) + " ms");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return say(SandboxEnd::kTimeout, "out of processor time");
  if (WIFSIGNALED(status))
    return say(SandboxEnd::kCrashed, std::string("ended by signal ") + strsignal(WTERMSIG(status)));
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

SandboxReport call(int caller, const RequestHeader& limits, std::span<const uint8_t> request,
                   const Sandbox::Function& function) {
  Pipe result, words;
  if (!Pipe::open(result) || !Pipe::open(words))
    return {SandboxEnd::kCrashed, std::string("pipe: ") + std::strerror(errno), {}};
  const pid_t server = ::getpid();
  const auto deadline = Clock::now() + std::chrono::milliseconds(limits.timeout_ms);
  const pid_t child = ::fork();
  if (child < 0) return {SandboxEnd::kCrashed, std::string("fork: ") + std::strerror(errno), {}};
  if (child == 0) {
    ::close(caller);
    run_child(server, limits, request, function, result.write_end.get(), words.write_end.get());
  }
  ::setpgid(child, child);  // both sides say it: whoever comes first
  result.write_end.reset();
  words.write_end.reset();
  Gathered got = gather(child, caller, result.read_end.get(), words.read_end.get(), deadline);
  if (got.timed_out) ::kill(child, SIGKILL);
  ::kill(-child, SIGKILL);  // and whatever it started, before its number can be given away
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return judge(std::move(got), status, limits);
}

}  // namespace

void serve(int socket, const Sandbox::Function& function) {
  ::signal(SIGPIPE, SIG_IGN);
  RequestHeader header;
  while (read_fully(socket, &header, sizeof header)) {
    std::vector<uint8_t> request(header.size_bytes);
    if (!read_fully(socket, request.data(), request.size())) break;
    const SandboxReport report = call(socket, header, request, function);
    const ReportHeader reply{report.end, report.detail.size(), report.bytes.size()};
    if (!write_fully(socket, &reply, sizeof reply) ||
        !write_fully(socket, report.detail.data(), report.detail.size()) ||
        !write_fully(socket, report.bytes.data(), report.bytes.size()))
      break;
  }
  ::_exit(0);
}

}  // namespace tinytune::sandbox_protocol
