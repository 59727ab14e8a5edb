#include "tests/random_graphs/workers.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "base/check.h"

namespace tinytune::bench {
namespace {

using Clock = std::chrono::steady_clock;

// A hundred times what a slow graph takes on one busy core.
constexpr std::chrono::seconds kStalled{300};

bool read_fully(int from, void* to, size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = read(from, at, size);
    if (got <= 0) return false;
    at += got, size -= static_cast<size_t>(got);
  }
  return true;
}

void write_fully(int to, const void* from, size_t size) {
  const auto* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t put = write(to, at, size);
    if (put <= 0) _exit(1);  // the parent is gone
    at += put, size -= static_cast<size_t>(put);
  }
}

// One process and the items assigned to it: `next`, `next + step`, …
struct Worker {
  uint64_t next = 0, end = 0, step = 1;
  pid_t process = -1;
  int answers = -1;  // the pipe's reading end
  Clock::time_point since;

  bool finished() const { return next >= end; }

  void start(const Work& work) {
    int ends[2];
    TT_CHECK(pipe(ends) == 0, "no pipe");
    std::fflush(nullptr);
    process = fork();
    TT_CHECK(process >= 0, "no process");
    if (process == 0) {
      close(ends[0]);
      for (uint64_t item = next; item < end; item += step) {
        const std::string text = work(item);
        const uint64_t size = text.size();
        write_fully(ends[1], &size, sizeof size);
        write_fully(ends[1], text.data(), text.size());
      }
      _exit(0);
    }
    close(ends[1]);
    answers = ends[0];
    since = Clock::now();
  }

  // Reads the answer to `next`; returns false if the process ended instead.
  bool receive(std::string& text) const {
    uint64_t size = 0;
    if (!read_fully(answers, &size, sizeof size)) return false;
    text.resize(size);
    return read_fully(answers, text.data(), size);
  }

  std::string stop(bool stalled) {
    if (stalled) kill(process, SIGKILL);
    int status = 0;
    waitpid(process, &status, 0);
    close(answers);
    process = -1;
    if (stalled) return "still running after " + std::to_string(kStalled.count()) + " seconds";
    if (WIFSIGNALED(status)) return std::string("died of ") + strsignal(WTERMSIG(status));
    return "ended with code " + std::to_string(WEXITSTATUS(status));
  }
};

}  // namespace

void work_in_processes(uint64_t first, uint64_t count, int processes, const Work& work,
                       const std::function<void(uint64_t item, const Answer&)>& on_answer) {
  std::vector<Worker> workers(static_cast<size_t>(processes));
  for (size_t i = 0; i < workers.size(); ++i)
    workers[i] = {first + i, first + count, workers.size(), -1, -1, {}};
  for (;;) {
    std::vector<pollfd> waits;
    std::vector<Worker*> waiting;
    for (Worker& w : workers) {
      if (w.finished()) {
        if (w.process >= 0) w.stop(false);
        continue;
      }
      if (w.process < 0) w.start(work);
      waits.push_back({w.answers, POLLIN, 0});
      waiting.push_back(&w);
    }
    if (waits.empty()) return;
    poll(waits.data(), waits.size(), 1000);
    for (size_t i = 0; i < waits.size(); ++i) {
      Worker& w = *waiting[i];
      const bool stalled = Clock::now() - w.since > kStalled;
      if (waits[i].revents == 0 && !stalled) continue;
      Answer answer;
      answer.lost = waits[i].revents == 0 || !w.receive(answer.text);
      if (answer.lost) answer.text = w.stop(waits[i].revents == 0);
      on_answer(w.next, answer);
      w.next += w.step;
      w.since = Clock::now();
    }
  }
}

}  // namespace tinytune::bench
