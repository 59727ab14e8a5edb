// Worker processes that this process starts, keeps alive and ends.
//
// They die with us whatever kills us: the kernel signals them when the thread that started them
// ends, so all of them are started by one thread that lives as long as this object.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "tinytune/result.h"

namespace tinytune {

/// Thread-safe.
class LocalWorkers {
 public:
  struct Options {
    /// One worker each, complete; the first word is a path.
    std::vector<std::vector<std::string>> commands;
    int restarts = 8;  ///< per worker, between two signs of life (alive())
  };

  LocalWorkers(Options options, LogSink log);
  /// Waits a moment for workers that are ending by themselves, then kills the rest.
  ~LocalWorkers();

  /// `process` did its work: earlier deaths of its slot are forgiven.
  void alive(int64_t process);
  bool owns(int64_t process) const;
  /// Ends one that no longer answers; it is replaced.
  void kill(int64_t process);

  /// Why no worker can be kept alive, if that is so; empty otherwise.
  std::string given_up() const;

 private:
  struct Slot {
    std::vector<std::string> command;
    pid_t pid = -1;
    int deaths = 0;
    bool given_up = false;
    std::chrono::steady_clock::time_point next_start;
  };
  static std::vector<Slot> slots_of(const std::vector<std::vector<std::string>>& commands);
  void supervise();
  void reap(Slot& slot);
  void start(Slot& slot);

  const Options options_;
  const LogSink log_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::string last_death_;
  std::vector<Slot> slots_;
  std::thread supervisor_;
};

}  // namespace tinytune
