#include "rpc_device/fleet/staying_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenDials{500}, kBetweenLooks{2'000};  // looks at the board
constexpr char kOpened = 'o';  // differs from all error codes

// Reports a child's end to the parent: a code and a line, in one atomic write to the pipe.
void report(int pipe, const Status& served) {
  const char code = served ? -1 : static_cast<char>(served.error().code());
  const std::string text =
      code + (served ? "" : printable(served.error().message(), most::kLineBytes));
  [[maybe_unused]] const auto written = ::write(pipe, text.data(), text.size());
}

/// End of a child.
struct Served {
  bool opened_board = false;
  Status end = ok_status();
};

// `unsaid`: the error of a child that ended without a report.
Served read_report(int pipe, const Error& unsaid) {
  char text[2 + most::kLineBytes];
  const ssize_t size = ::read(pipe, text, sizeof text);
  std::string_view said(text, static_cast<size_t>(std::max<ssize_t>(size, 0)));
  Served served;
  served.opened_board = said.starts_with(kOpened);
  if (served.opened_board) said.remove_prefix(1);
  if (said.empty())
    served.end = unsaid;
  else if (said.front() != -1)
    served.end = Error(static_cast<ErrorCode>(said.front()), std::string(said.substr(1)));
  return served;
}

Result<Served> serve_in_child(const WorkerOptions& options, const LogSink& log) {
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
    WorkerOptions telling = options;
    telling.on_board_open = [&] { [[maybe_unused]] auto n = ::write(theirs.get(), &kOpened, 1); };
    report(theirs.get(), run_worker(telling, log));
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return read_report(ours.get(), Error(ErrorCode::kFailed,
                                       WIFEXITED(status)  // its tuner died during a job
                                           ? "the tuner at " + options.connect + " is gone"
                                           : std::string("the worker's process ended: ") +
                                                 strsignal(WTERMSIG(status))));
}

}  // namespace

Status stay(const WorkerOptions& options, const LogSink& log) {
  std::string last;
  bool was_reached = false;  // whether the board was ever opened
  std::optional<Clock::time_point> lost_since;
  while (true) {
    const auto began = Clock::now();
    TT_TRY_ASSIGN(const Served served, serve_in_child(options, log));
    was_reached = was_reached || served.opened_board;
    if (served.opened_board) lost_since.reset();
    std::string news = "waiting for the next tuner";
    bool is_lost = false;
    if (!served.end) {
      const Error& error = served.end.error();
      is_lost = error.code() == ErrorCode::kDeviceLost;
      if (error.code() != ErrorCode::kFailed && !is_lost) return error;
      if (is_lost && !was_reached) return error;
      if (is_lost && !lost_since) lost_since = served.opened_board ? Clock::now() : began;
      if (is_lost && options.board_patience &&
          Clock::now() >= *lost_since + *options.board_patience)
        return error;
      news = error.message() + (is_lost ? "; waiting for the board" : "; dialling again");
    }
    if (served.end || news != last) log(served.end ? LogLevel::kInfo : LogLevel::kWarning, news);
    last = news;
    std::this_thread::sleep_for(is_lost ? kBetweenLooks : kBetweenDials);
  }
}

}  // namespace tinytune
