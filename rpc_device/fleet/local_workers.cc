#include "rpc_device/fleet/local_workers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

#include "base/child.h"
#include "base/printable.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookAround{50};
constexpr milliseconds kGrace{500};
constexpr int kWrongInput = 2;  // exit code of errors that a restart cannot fix
// More starts of a worker that has never been in service: 1 s after the first failure, then 2 s.
constexpr int kMoreFirstStarts = 2;
constexpr milliseconds kFirstStartsWithin{5'000};
constexpr milliseconds kLeastPause{50}, kMostPause{5'000};
constexpr size_t kMostLineBytes = 2'000;

// Runs between fork and exec in a process with threads: system calls only, no allocation.
[[noreturn]] void become(char* const* argv, pid_t parent, int output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  output = ::fcntl(output, F_DUPFD, 16);  // a host may have closed its standard streams
  ::setpgid(0, 0);                        // Ctrl-C must reach the parent only; workers die with it
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGCHLD}) ::signal(signal, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::close_range(3, ~0U, 0);
  ::execv(argv[0], argv);
  ::_exit(kWrongInput);
}

std::string describe(const ChildEnd& end) {
  if (!end.known) return "nobody knows how";
  return WIFSIGNALED(end.status) ? std::string("signal ") + strsignal(WTERMSIG(end.status))
                                 : "exit code " + std::to_string(WEXITSTATUS(end.status));
}

// Returns the line without the prefix that `tune` writes.
std::string stripped(std::string_view line, std::string_view prefix) {
  if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
  return printable(line, kMostLineBytes);
}

// Doubles each time.
milliseconds pause_after(int failures) {
  return failures == 0 ? milliseconds(0)
                       : std::min(kLeastPause * (1 << std::min(failures - 1, 10)), kMostPause);
}

// Returns local time, "14:32:10".
std::string time_in(milliseconds from_now) {
  const std::time_t then =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() + from_now);
  std::tm parts{};
  ::localtime_r(&then, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

constexpr std::string_view kSpeaker = "tune: ", kWarns = "tune: warning: ";

}  // namespace

LocalWorkers::LocalWorkers(Options options, LogSink log)
    : options_(std::move(options)),
      log_(std::move(log)),
      slots_(slots_of(options_.workers)),
      supervisor_([this] { supervise(); }) {}

std::vector<LocalWorkers::Slot> LocalWorkers::slots_of(const std::vector<Worker>& workers) {
  std::vector<Slot> slots(workers.size());
  for (size_t i = 0; i < slots.size(); ++i) slots[i].worker = workers[i];
  return slots;
}

LocalWorkers::~LocalWorkers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  supervisor_.join();
}

void LocalWorkers::in_service(int64_t process) {
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_) {
    if (slot.pid != process) continue;
    if (slot.was_in_service && slot.failed_starts > 0)
      log_(LogLevel::kInfo,
           (slot.worker.name.empty() ? "a worker" : slot.worker.name) + " is back");
    slot.was_in_service = slot.is_in_service = true;
    slot.failed_starts = 0;
  }
}

void LocalWorkers::finished_job(int64_t process) {
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_)
    if (slot.pid == process) slot.deaths = 0;
}

bool LocalWorkers::owns(int64_t process) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(slots_.begin(), slots_.end(),
                     [&](const Slot& slot) { return slot.pid == process; });
}

void LocalWorkers::kill(int64_t process) {
  const std::lock_guard lock(mutex_);
  for (const Slot& slot : slots_)
    if (slot.pid == process && slot.pid > 0) ::kill(slot.pid, SIGKILL);
}

std::optional<std::string> LocalWorkers::none_left(bool Worker::*duty) const {
  const std::lock_guard lock(mutex_);
  std::optional<std::string> why;
  for (const Slot& slot : slots_) {
    if (!(slot.worker.*duty)) continue;
    if (!slot.given_up) return std::nullopt;
    why = about(slot);
  }
  return why;
}

std::optional<std::string> LocalWorkers::no_builder() const { return none_left(&Worker::builds); }
std::optional<std::string> LocalWorkers::no_runner() const { return none_left(&Worker::runs); }

void LocalWorkers::supervise() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    for (Slot& slot : slots_) {
      if (slot.pid > 0) read(slot);
      if (slot.pid > 0) reap(slot);
      if (slot.pid < 0 && !slot.given_up && Clock::now() >= slot.next_start) start(slot);
    }
    changed_.wait_for(lock, kLookAround, [this] { return stopping_; });
  }
  const auto deadline = Clock::now() + kGrace;
  for (Slot& slot : slots_) {
    while (slot.pid > 0 && !poll_child(slot.pid)) {
      if (Clock::now() >= deadline) ::kill(slot.pid, SIGKILL);
      std::this_thread::sleep_for(milliseconds(5));
    }
    slot.pid = -1;
  }
}

// Logs warnings at once. Keeps the last other line, which may be the reason if the worker ends.
void LocalWorkers::read(Slot& slot) {
  char some[4096];
  for (ssize_t n; (n = ::read(slot.output.get(), some, sizeof some)) > 0;) {
    for (const char c : std::string_view(some, static_cast<size_t>(n))) {
      if (c != '\n') {
        if (slot.line.size() < kMostLineBytes) slot.line += c;
        continue;
      }
      if (slot.line.starts_with(kWarns)) {
        log_(LogLevel::kWarning, stripped(slot.line, kWarns));
      } else if (!slot.line.empty()) {
        if (!slot.last_line.empty()) log_(LogLevel::kWarning, slot.last_line);
        slot.last_line = stripped(slot.line, kSpeaker);
      }
      slot.line.clear();
    }
  }
}

void LocalWorkers::reap(Slot& slot) {
  const std::optional<ChildEnd> end = poll_child(slot.pid);
  if (!end) return;
  read(slot);
  const bool exited = end->known && WIFEXITED(end->status);
  const std::string number = "worker " + std::to_string(slot.pid) + " ended: ";
  // The last line before an exit is the reason; before a crash it is only part of it.
  std::string why = exited && !slot.last_line.empty() ? slot.last_line : number + describe(*end);
  if (!exited && !slot.last_line.empty()) why += ": " + slot.last_line;
  slot.pid = -1;
  slot.output.reset();
  slot.line.clear();
  slot.last_line.clear();
  ended(slot, std::move(why), exited && WEXITSTATUS(end->status) == kWrongInput);
}

std::string LocalWorkers::about(const Slot& slot) {
  return slot.worker.name.empty() ? slot.why : slot.worker.name + ": " + slot.why;
}

void LocalWorkers::ended(Slot& slot, std::string why, bool hopeless) {
  const auto now = Clock::now();
  slot.why = std::move(why);
  if (std::exchange(slot.is_in_service, false)) {
    slot.next_start = now + pause_after(slot.deaths++);
    slot.given_up = slot.deaths > options_.restarts;
    log_(LogLevel::kWarning,
         about(slot) + (slot.given_up ? "; giving up on it" : "; starting another"));
    return;
  }
  if (slot.failed_starts++ == 0) slot.absent_since = slot.started_at;
  if (slot.was_in_service) {
    const auto deadline = slot.absent_since + options_.patience;
    slot.given_up = now >= deadline;
    slot.next_start = std::min(now + pause_after(slot.failed_starts), deadline);
    if (slot.failed_starts == 1 && !slot.given_up)
      log_(LogLevel::kWarning,
           about(slot) + "; waiting until " + time_in(options_.patience) + " for it to come back");
  } else {
    slot.given_up = hopeless || slot.failed_starts > kMoreFirstStarts ||
                    now > slot.absent_since + kFirstStartsWithin;
    slot.next_start = now + std::chrono::seconds(slot.failed_starts);
    // If no other worker is left, the run ends with this reason anyway.
    const bool others = std::ranges::any_of(slots_, [&](const Slot& other) {
      return &other != &slot && !other.given_up && other.worker.runs == slot.worker.runs;
    });
    if (slot.given_up && others) log_(LogLevel::kWarning, about(slot) + "; giving up on it");
  }
}

void LocalWorkers::start(Slot& slot) {
  slot.started_at = Clock::now();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return ended(slot, std::string("cannot start a worker: ") + std::strerror(errno), false);
  slot.output = Descriptor(ends[0]);
  const Descriptor theirs(ends[1]);
  ::fcntl(slot.output.get(), F_SETFL, O_NONBLOCK);
  std::vector<char*> argv;
  for (const std::string& word : slot.worker.command)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become(argv.data(), parent, theirs.get());
  if (pid > 0)
    slot.pid = pid;
  else
    ended(slot, std::string("cannot start a worker: ") + std::strerror(errno), false);
}

}  // namespace tinytune
