// The tuner's side of measuring: jobs in, results out, in the order in which workers finish them.
//
// A job is leased to a worker: if the worker dies or stays silent, the job goes to another one. If
// a second worker dies with it, the job is taken to be the cause and is returned as Outcome::kLost.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "devices/device.h"
#include "measure/job.h"
#include "tinytune/result.h"

namespace tinytune {

/// Timeouts of a worker.
struct WorkerPatience {
  std::chrono::milliseconds hello{5'000};       ///< from its connection to its first message
  std::chrono::milliseconds heartbeat{10'000};  ///< between two heartbeats; sent every second
  std::chrono::milliseconds job{60'000};        ///< in addition to time_of(its limits)
  /// From the loss of a local board, or of a local worker that cannot restart, to giving it up.
  std::chrono::milliseconds board{300'000};
};

/// Returns the longest time that a job may take by its limits, on a machine with other load.
std::chrono::milliseconds time_of(const MeasureLimits& limits);

struct WorkerPoolOptions {
  /// "unix:PATH" or "HOST:PORT" (port 0: any free one); empty: a socket in a new directory.
  std::string listen;
  std::string keys;       ///< directory for read_keys(); empty: links are not encrypted
  bool insecure = false;  ///< allow listening to other machines without keys
  /// Workers that the pool starts itself and restarts when they die; 0 waits for remote ones.
  int local_workers = 0;
  /// A board is on this machine: starts one more worker that only runs, while the local workers
  /// only build, so that the board never waits for a compiler.
  bool local_board = false;
  /// Command of a local worker, e.g. {"/usr/bin/tune", "worker"}; `--connect ADDRESS --device
  /// DEVICE` is appended.
  std::vector<std::string> worker_command;
  std::string worker_device;    ///< DEVICE above; empty: the device's name
  int restarts_per_worker = 8;  ///< deaths allowed without a finished job between them
  WorkerPatience patience;
  /// More than the workers that `tune` starts itself; further ones are refused with that reason.
  size_t most_connections = 1'200;
};

struct WorkerStatistics {
  std::string name;  ///< "host:process"
  uint64_t jobs = 0;
  StageTimes times;
  double busy_ms = 0;  ///< from handing out a job to its result
  double idle_ms = 0;  ///< connected and without a job
};

struct PoolStatistics {
  std::vector<WorkerStatistics> workers;  ///< connected workers
  WorkerStatistics departed;              ///< sum over workers that have left
  uint64_t redone = 0;                    ///< jobs handed out again after a worker died
  StageTimes total() const;
};

void add(StageTimes& sum, const StageTimes& times);

class WorkerPool {
 public:
  using Task = size_t;
  using Ticket = uint64_t;
  struct Finished {
    Ticket ticket = 0;
    MeasureResult result;
  };

  /// Listens and starts the local workers; does not wait for them. kInvalidInput: the address is
  /// malformed or too long for a socket, or other machines could reach it without keys. kFailed:
  /// the address is in use.
  static Result<std::unique_ptr<WorkerPool>> open(const Device& device, WorkerPoolOptions options,
                                                  LogSink log = null_log());
  /// Drops unfinished jobs and ends all local workers.
  ~WorkerPool();

  /// Returns the address where workers connect, with the real port.
  const std::string& address() const;
  size_t connected_workers() const;

  /// Adds the data that all jobs of a task share; sent to each worker once.
  Task add_task(const TaskData& task);
  /// Queues a job. `stage`: a build alone, or also a run on a simulator or a board.
  Ticket submit(Task task, const Schedule& schedule, const MeasureLimits& limits,
                Fidelity stage = Fidelity::kSimulate);

  /// Returns a finished job; nullopt if none finishes within `timeout`. kFailed: no worker is left
  /// that could run (or build) and all local ones were given up, e.g. a board was lost for good; or
  /// no worker can do its work (a full disk). The message has the reason. A pool without local
  /// workers waits for others.
  Result<std::optional<Finished>> next_finished(std::chrono::milliseconds timeout);

  PoolStatistics statistics() const;

 private:
  struct State;
  explicit WorkerPool(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
