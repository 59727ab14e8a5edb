#include "measure/sandbox_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>

#include "base/descriptor.h"
#include "base/temporary_directory.h"
#include "measure/sandbox_child.h"

namespace tinytune::sandbox_protocol {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr size_t kLastWordsBytes = 4096;

// A new child costs some 8 ms of page faults until Halide and LLVM are warm in it.
constexpr int kMostCalls = 64;

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

// A forked process, and the server's ends of its pipes.
struct Child {
  pid_t pid = -1;
  Descriptor alive;  ///< pidfd: readable once the child has ended
  Descriptor requests, answers, words;
  int returned = 0;  ///< number of calls that returned
};

Error cannot(const char* what) {
  return Error(ErrorCode::kFailed, std::string(what) + ": " + std::strerror(errno));
}

// Kills the child and its process group before waiting, as the pid may be reused afterwards.
// Returns the status of waitpid().
int end(Child child) {
  ::kill(child.pid, SIGKILL);
  ::kill(-child.pid, SIGKILL);
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Result<Child> start_child(int caller, const Sandbox::Function& function) {
  Pipe requests, answers, words;
  if (!Pipe::open(requests) || !Pipe::open(answers) || !Pipe::open(words)) return cannot("pipe");
  const pid_t server = ::getpid();
  Child child;
  child.pid = ::fork();
  if (child.pid < 0) return cannot("fork");
  if (child.pid == 0) {
    ::close(caller);
    requests.write_end.reset();
    run_child(server, {requests.read_end.get(), answers.write_end.get(), words.write_end.get()},
              function);
  }
  ::setpgid(child.pid, child.pid);  // the child does it too: either may run first
  child.alive = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0)));
  if (child.alive.get() < 0) {
    const Error error = cannot("pidfd_open");
    end(std::move(child));
    return error;
  }
  child.requests = std::move(requests.write_end);
  child.answers = std::move(answers.read_end);
  child.words = std::move(words.read_end);
  for (const int fd : {child.answers.get(), child.words.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return child;
}

// Returns the last line that is not empty: LLVM and Halide print there why they stopped.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.rfind('\n') + 1).substr(0, 300);
}

enum class Cut { kNo, kCpuTime, kWallTime };

// The outcome of a call.
struct Gathered {
  std::vector<uint8_t> bytes;  ///< an answer with its header, possibly incomplete
  std::string words;
  milliseconds cpu_time{0};
  Cut cut = Cut::kNo;

  std::optional<AnswerHeader> header() const {
    if (bytes.size() < sizeof(AnswerHeader)) return std::nullopt;
    AnswerHeader header;
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
  }
  bool answered() const {
    const auto known = header();
    return known && bytes.size() >= sizeof(AnswerHeader) + known->size_bytes;
  }
  bool returned() const { return answered() && header()->verdict == Verdict::kResult; }
};

// Returns the processor time of a child, which may have ended but not been waited for.
milliseconds cpu_time_of(pid_t child) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(child, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    return milliseconds(0);
  return milliseconds(used.tv_sec * 1000 + used.tv_nsec / 1'000'000);
}

// Returns how long to wait before polling the child's processor time again, as no event signals its
// limit: the time left on one core, but at least 10 ms, so that this does not busy-wait.
milliseconds time_until_next_look(milliseconds cpu_time, const RequestHeader& limits,
                                  Clock::time_point deadline, Cut& cut) {
  const auto wall_left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  const auto cpu_left = milliseconds(limits.cpu_ms) - cpu_time;
  if (cpu_left <= milliseconds(0))
    cut = Cut::kCpuTime;
  else if (wall_left <= milliseconds(0))
    cut = Cut::kWallTime;
  return std::min(wall_left, std::max(cpu_left, milliseconds(10)));
}

// One of the two streams from a child.
struct Stream {
  int fd;
  std::function<void(std::span<const char>)> take;

  /// Reads what is available; returns false if there is nothing now or the stream has ended.
  bool read_some(std::span<char> buffer) {
    if (fd < 0) return false;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0) take(buffer.first(static_cast<size_t>(n)));
    if (n > 0 || (n < 0 && errno == EINTR)) return true;
    if (n == 0 || errno != EAGAIN) fd = -1;
    return false;
  }
};

// Sends a request and reads until the child has answered, has ended or has used up its time. Ends
// this process if the caller has closed its socket.
Gathered gather(const Child& child, int caller, const RequestHeader& limits,
                std::span<const uint8_t> request) {
  const auto deadline = Clock::now() + milliseconds(limits.wall_ms);
  const milliseconds cpu_before = cpu_time_of(child.pid);
  Gathered got;
  Stream answer{child.answers.get(), [&](std::span<const char> some) {
                  got.bytes.insert(got.bytes.end(), some.begin(), some.end());
                }};
  Stream words{child.words.get(), [&](std::span<const char> some) {
                 got.words.append(some.data(), some.size());
                 if (got.words.size() > 2 * kLastWordsBytes)
                   got.words.erase(0, got.words.size() - kLastWordsBytes);
               }};
  std::vector<char> buffer(1 << 16);
  const CallHeader header{limits.memory_bytes, request.size()};
  bool ended = !write_fully(child.requests.get(), &header, sizeof header) ||
               !write_fully(child.requests.get(), request.data(), request.size());
  while (!ended && !got.answered()) {
    got.cpu_time = cpu_time_of(child.pid) - cpu_before;
    const auto wait = time_until_next_look(got.cpu_time, limits, deadline, got.cut);
    if (got.cut != Cut::kNo) break;
    pollfd fds[] = {{child.alive.get(), POLLIN, 0},
                    {caller, POLLIN, 0},
                    {answer.fd, POLLIN, 0},
                    {words.fd, POLLIN, 0}};
    if (::poll(fds, std::size(fds), static_cast<int>(wait.count())) < 0) continue;
    if (fds[1].revents != 0) {  // no request can arrive during a call: the caller has closed
      ::kill(-child.pid, SIGKILL);
      ::kill(child.pid, SIGKILL);
      ::_exit(0);
    }
    if (fds[2].revents != 0) answer.read_some(buffer);
    if (fds[3].revents != 0) words.read_some(buffer);
    ended = fds[0].revents != 0;
  }
  while (answer.read_some(buffer)) {
  }
  while (words.read_some(buffer)) {
  }
  // Checks the time of the whole call, so that the verdict does not depend on when we polled.
  got.cpu_time = cpu_time_of(child.pid) - cpu_before;
  if (got.cut == Cut::kNo && got.cpu_time >= milliseconds(limits.cpu_ms)) got.cut = Cut::kCpuTime;
  return got;
}

// Returns whether a process raises this signal itself. Others are sent from outside: by the kernel
// when memory is short (SIGKILL), or by a user or job scheduler.
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

// Turns a call's outcome into a report. `status`: waitpid()'s, unless the call returned.
SandboxReport judge(Gathered got, int status, const RequestHeader& limits) {
  SandboxReport report;
  const std::string words = last_line(std::move(got.words));
  const auto say = [&](SandboxEnd end, std::string why) {
    report.end = end;
    report.detail = std::move(why) + (words.empty() ? "" : ": " + words);
    return report;
  };
  if (got.cut == Cut::kCpuTime)
    return say(SandboxEnd::kCpuTime,
               "no result in " + std::to_string(limits.cpu_ms) + " ms of processor time");
  if (got.cut == Cut::kWallTime)
    return say(SandboxEnd::kStuck, "no result in " + std::to_string(limits.wall_ms) + " ms");
  if (!got.answered())
    return WIFSIGNALED(status)
               ? say(is_its_own(WTERMSIG(status)) ? SandboxEnd::kCrashed : SandboxEnd::kKilled,
                     std::string("ended by signal ") + strsignal(WTERMSIG(status)))
               : say(SandboxEnd::kCrashed, "exited without a result");
  const Verdict verdict = got.header()->verdict;
  got.bytes.erase(got.bytes.begin(), got.bytes.begin() + sizeof(AnswerHeader));
  if (verdict == Verdict::kMemory)
    return say(SandboxEnd::kOutOfMemory,
               "needs more than " + std::to_string(limits.memory_bytes >> 20) + " MiB");
  if (verdict == Verdict::kException) {
    report.detail = last_line(std::string(got.bytes.begin(), got.bytes.end()));
    return report;
  }
  report.end = SandboxEnd::kReturned;
  report.bytes = std::move(got.bytes);
  return report;
}

// Starts a child when one is needed, and keeps it for later calls.
class Children {
 public:
  Children(int caller, const Sandbox::Function& function) : caller_(caller), function_(function) {}

  /// kFailed: no child could be made.
  Result<SandboxReport> call(const RequestHeader& limits, std::span<const uint8_t> request) {
    while (true) {
      if (!child_) {
        TT_TRY_ASSIGN(child_, start_child(caller_, function_));
      }
      Gathered got = gather(*child_, caller_, limits, request);
      const bool is_fresh = child_->returned == 0;
      if (got.cut == Cut::kNo && got.returned()) {
        if (got.header()->is_last || ++child_->returned == kMostCalls) end_child();
        return judge(std::move(got), 0, limits);
      }
      SandboxReport report = judge(std::move(got), end_child(), limits);
      sweep_temporary_directories();  // the child could not remove its own
      // State left behind by earlier calls may have caused the failure.
      const bool may_differ =
          report.end == SandboxEnd::kCrashed || report.end == SandboxEnd::kOutOfMemory;
      if (is_fresh || !may_differ) return report;
    }
  }

  int end_child() {
    if (!child_) return 0;
    const int status = end(*std::move(child_));
    child_.reset();
    return status;
  }

 private:
  int caller_;
  const Sandbox::Function& function_;
  std::optional<Child> child_;
};

}  // namespace

void serve(int socket, const Sandbox::Function& function) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);  // if ignored, waitpid() could not tell how a child ended
  Children children(socket, function);
  RequestHeader header;
  while (read_fully(socket, &header, sizeof header)) {
    std::vector<uint8_t> request(header.size_bytes);
    if (!read_fully(socket, request.data(), request.size())) break;
    const auto called = children.call(header, request);
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
  children.end_child();
  ::_exit(0);
}

}  // namespace tinytune::sandbox_protocol
