// Worker processes that this process starts, restarts and ends.
//
// A worker that ends is replaced. If it cannot start again, its board may be missing temporarily: a
// debugger's server is restarted, a cable is plugged in again. Starts are repeated with growing
// pauses for the time `patience`. A worker that has never been in service is tried a few times in a
// few seconds: its command is more likely wrong than its board slow.
//
// Lines that a worker writes to its standard streams are passed to the log; the last line before
// its end is reported as the reason.
//
// Workers die with this process, however it ends: the kernel signals them when the thread that
// started them ends. So one thread starts all of them and lives as long as this object.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/log.h"
#include "tinytune/result.h"

namespace tinytune {

/// Thread-safe.
class LocalWorkers {
 public:
  struct Worker {
    std::vector<std::string> command;  ///< complete; the first word is a path
    bool builds = true, runs = true;   ///< its duties
    std::string name;                  ///< its board's, for messages; empty: no board
  };
  struct Options {
    std::vector<Worker> workers;
    int restarts = 8;  ///< per worker that was in service, between two finished jobs
    /// Time from the first failed start of a worker that was in service to giving it up.
    std::chrono::milliseconds patience{300'000};
  };

  LocalWorkers(Options options, LogSink log);
  /// Waits briefly for workers that are ending by themselves, then kills the rest.
  ~LocalWorkers();

  /// To be called when the tuner has welcomed `process`.
  void in_service(int64_t process);
  /// To be called when `process` has finished a job: resets its slot's count of deaths.
  void finished_job(int64_t process);
  bool owns(int64_t process) const;
  /// Kills a worker that no longer answers; it is replaced.
  void kill(int64_t process);

  /// Returns why no worker that builds (or runs) is left, if there were any and all were given up.
  std::optional<std::string> no_builder() const;
  std::optional<std::string> no_runner() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    Worker worker;
    pid_t pid = -1;
    Descriptor output;            ///< its standard output and error
    std::string line, last_line;  ///< incomplete line; last complete line
    std::string why;              ///< reason for the end of the last process
    bool was_in_service = false;
    bool is_in_service = false;      ///< whether the current process is
    int deaths = 0;                  ///< deaths in service since the last finished job
    int failed_starts = 0;           ///< since it was last in service
    Clock::time_point absent_since;  ///< when the first failed start began
    Clock::time_point started_at;
    bool given_up = false;
    Clock::time_point next_start;
  };
  static std::vector<Slot> slots_of(const std::vector<Worker>& workers);
  void supervise();
  void read(Slot& slot);
  void reap(Slot& slot);
  void start(Slot& slot);
  /// Plans another start, or gives the worker up.
  void ended(Slot& slot, std::string why, bool hopeless);
  static std::string about(const Slot& slot);
  std::optional<std::string> none_left(bool Worker::*duty) const;

  const Options options_;
  const LogSink log_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::vector<Slot> slots_;
  std::thread supervisor_;
};

}  // namespace tinytune
