// Worker processes that this process starts, keeps alive and ends.
//
// A worker that ends is replaced. One that cannot start again may be waiting for its board: a
// debugger's server that is restarted, a cable that is plugged in again. It is tried again with
// growing pauses for as long as `patience` says. A worker that has never been in service is tried a
// few times in a few seconds: its command is more likely wrong than its board slow.
//
// What a worker writes to its standard streams is passed on as log lines; the last line before its
// end is why it ended.
//
// They die with us whatever kills us: the kernel signals them when the thread that started them
// ends, so all of them are started by one thread that lives as long as this object.
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
    bool builds = true, runs = true;   ///< what it is for
    std::string name;                  ///< of its board, in messages; empty: it has none
  };
  struct Options {
    std::vector<Worker> workers;
    int restarts = 8;  ///< of one that was in service, between two finished jobs
    /// From the first failed start of a worker that was in service before to giving it up.
    std::chrono::milliseconds patience{300'000};
  };

  LocalWorkers(Options options, LogSink log);
  /// Waits a moment for workers that are ending by themselves, then kills the rest.
  ~LocalWorkers();

  /// `process` has been welcomed by the tuner.
  void in_service(int64_t process);
  /// `process` did its work: earlier deaths of its slot are forgiven.
  void finished_job(int64_t process);
  bool owns(int64_t process) const;
  /// Ends one that no longer answers; it is replaced.
  void kill(int64_t process);

  /// Why no worker that builds (or runs) is left here, if there were any and all are given up.
  std::optional<std::string> no_builder() const;
  std::optional<std::string> no_runner() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    Worker worker;
    pid_t pid = -1;
    Descriptor output;            ///< what it writes
    std::string line, last_line;  ///< of it: the incomplete one, the one before
    std::string why;              ///< the last process ended
    bool was_in_service = false;
    bool is_in_service = false;      ///< the process that runs now
    int deaths = 0;                  ///< in service, since the last finished job
    int failed_starts = 0;           ///< since it was last in service
    Clock::time_point absent_since;  ///< the first of them began
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
