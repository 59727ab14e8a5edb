#include "base/forked_work.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <new>

#include "base/descriptor.h"

namespace tinytune {
namespace {

/// Header of an answer; its bytes follow.
struct Head {
  uint64_t index = 0, bytes = 0;
};

/// Next piece's index, shared by all processes.
class SharedCounter {
 public:
  SharedCounter() {
    void* page =
        ::mmap(nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) value_ = new (page) Value(0);
  }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  ~SharedCounter() {
    if (value_ != nullptr) ::munmap(value_, sizeof(Value));
  }

  explicit operator bool() const { return value_ != nullptr; }
  size_t next() { return (*value_)++; }

 private:
  using Value = std::atomic<size_t>;
  static_assert(Value::is_always_lock_free);
  Value* value_ = nullptr;
};

struct Worker {
  pid_t pid = -1;
  Descriptor answers;
};

[[noreturn]] void work_through(SharedCounter& counter, size_t count, int answers,
                               const std::function<std::string(size_t)>& work) {
  for (size_t i = counter.next(); i < count; i = counter.next()) {
    const std::string answer = work(i);
    const Head head{i, answer.size()};
    if (!write_fully(answers, &head, sizeof head) ||
        !write_fully(answers, answer.data(), answer.size()))
      break;
  }
  ::_exit(0);  // without destructors: the parent's objects belong to the parent
}

Result<Worker> start(SharedCounter& counter, size_t count,
                     const std::function<std::string(size_t)>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error(ErrorCode::kFailed, "no pipe to a process");
  Descriptor from(ends[0]), to(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return Error(ErrorCode::kFailed, "no process can be started");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    from.reset();
    work_through(counter, count, to.get(), work);
  }
  return Worker{pid, std::move(from)};
}

/// Reads one answer; returns false at the end of the stream.
bool read_answer(int from, std::vector<Result<std::string>>& answers) {
  Head head;
  if (!read_fully(from, &head, sizeof head) || head.index >= answers.size()) return false;
  std::string text(head.bytes, '\0');
  if (!read_fully(from, text.data(), text.size())) return false;
  answers[head.index] = std::move(text);
  return true;
}

}  // namespace

std::vector<Result<std::string>> divide_work(size_t count, size_t jobs,
                                             const std::function<std::string(size_t)>& work,
                                             const std::function<void(size_t)>& on_done) {
  std::vector<Result<std::string>> answers(
      count, Error(ErrorCode::kFailed, "its process ended without an answer"));
  SharedCounter counter;
  std::vector<Worker> workers;
  for (size_t i = 0; counter && i < std::min(std::max<size_t>(jobs, 1), count); ++i)
    if (auto worker = start(counter, count, work)) workers.push_back(std::move(*worker));
  size_t done = 0;
  std::vector<pollfd> open;
  for (const Worker& worker : workers) open.push_back({worker.answers.get(), POLLIN, 0});
  while (!open.empty()) {
    if (::poll(open.data(), open.size(), -1) < 0 && errno != EINTR) break;
    for (size_t i = open.size(); i-- > 0;) {
      if (open[i].revents == 0) continue;
      if (!read_answer(open[i].fd, answers)) {
        open.erase(open.begin() + static_cast<ptrdiff_t>(i));
      } else if (++done; on_done) {
        on_done(done);
      }
    }
  }
  for (const Worker& worker : workers)
    while (::waitpid(worker.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  return answers;
}

}  // namespace tinytune
