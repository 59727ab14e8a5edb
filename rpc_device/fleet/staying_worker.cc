#include "rpc_device/fleet/staying_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "base/descriptor.h"
#include "base/printable.h"
#include "rpc_device/fleet/message_checks.h"

namespace tinytune {
namespace {

constexpr std::chrono::milliseconds kBetweenDials{500};

// What a child says of its end: a code and a line, in one write that a pipe takes whole.
void report(int pipe, const Status& served) {
  const char code = served ? -1 : static_cast<char>(served.error().code());
  const std::string text =
      code + (served ? "" : printable(served.error().message(), most::kLineBytes));
  [[maybe_unused]] const auto written = ::write(pipe, text.data(), text.size());
}

// Nothing: it ended without a word.
std::optional<Status> read_report(int pipe) {
  char text[1 + most::kLineBytes];
  const ssize_t size = ::read(pipe, text, sizeof text);
  if (size < 1) return std::nullopt;
  if (text[0] == -1) return ok_status();
  return Error(static_cast<ErrorCode>(text[0]), std::string(text + 1, size - 1));
}

Result<Status> serve_in_child(const WorkerOptions& options, const LogSink& log) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return Error(ErrorCode::kFailed, std::string("cannot start a worker: ") + std::strerror(errno));
  const Descriptor ours(ends[0]), theirs(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
    return Error(ErrorCode::kFailed, std::string("cannot start a worker: ") + std::strerror(errno));
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    report(theirs.get(), run_worker(options, log));
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (auto said = read_report(ours.get())) return *said;
  if (WIFEXITED(status))  // it had a job, and nobody to tell
    return Status(Error(ErrorCode::kFailed, "the tuner at " + options.connect + " is gone"));
  return Status(Error(ErrorCode::kFailed,
                      std::string("the worker's process ended: ") + strsignal(WTERMSIG(status))));
}

}  // namespace

Status stay(const WorkerOptions& options, const LogSink& log) {
  std::string last;
  while (true) {
    TT_TRY_ASSIGN(const Status served, serve_in_child(options, log));
    std::string news = "waiting for the next tuner";
    if (!served) {
      const Error& error = served.error();
      if (error.code() != ErrorCode::kFailed && error.code() != ErrorCode::kDeviceLost)
        return error;
      news = error.message() + "; dialling again";
    }
    if (served || news != last) log(served ? LogLevel::kInfo : LogLevel::kWarning, news);
    last = news;
    std::this_thread::sleep_for(kBetweenDials);
  }
}

}  // namespace tinytune
