#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/child.h"
#include "base/descriptor.h"

namespace tinytune {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Pipe {
  Descriptor read_end, write_end;

  static Result<Pipe> open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return Error(ErrorCode::kFailed, std::string("pipe: ") + std::strerror(errno));
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  }
};

/// Appends available bytes to `text`; returns false at the end of the stream.
bool take(int stream, std::string& text) {
  char buffer[4096];
  const ssize_t n = ::read(stream, buffer, sizeof buffer);
  if (n > 0) text.append(buffer, static_cast<size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

/// Reads until both streams and the program have ended: it may close its streams and continue.
/// Returns false if `deadline` comes first.
bool collect(const Child& child, Pipe& out, Pipe& err, Clock::time_point deadline,
             ProcessResult& result) {
  pollfd waiting[] = {{out.read_end.get(), POLLIN, 0},
                      {err.read_end.get(), POLLIN, 0},
                      {child.descriptor(), POLLIN, 0}};
  std::string* const texts[] = {&result.out, &result.err};
  const auto is_open = [](const pollfd& one) { return one.fd >= 0; };
  while (std::any_of(std::begin(waiting), std::end(waiting), is_open)) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    if (::poll(waiting, std::size(waiting), static_cast<int>(left.count())) < 0) {
      if (errno != EINTR) return false;
      continue;
    }
    for (size_t i = 0; i < std::size(texts); ++i)
      if (waiting[i].revents != 0 && !take(waiting[i].fd, *texts[i])) waiting[i].fd = -1;
    if (waiting[2].revents != 0) waiting[2].fd = -1;
  }
  return true;
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& argv, milliseconds timeout) {
  TT_TRY_ASSIGN(Pipe out, Pipe::open());
  TT_TRY_ASSIGN(Pipe err, Pipe::open());
  TT_TRY_ASSIGN(Child child, Child::start(argv, out.write_end.get(), err.write_end.get()));
  out.write_end.reset();
  err.write_end.reset();
  ProcessResult result;
  if (!collect(child, out, err, Clock::now() + timeout, result)) {
    return Error(ErrorCode::kFailed,
                 argv[0] + ": still running after " + std::to_string(timeout.count()) + " ms");
  }
  const Result<ChildEnd> end = child.wait();
  if (!end) return end.error().within(argv[0]);
  result.exit_code =
      WIFEXITED(end->status) ? WEXITSTATUS(end->status) : 128 + WTERMSIG(end->status);
  return result;
}

}  // namespace tinytune
