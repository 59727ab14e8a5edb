// The tuner's side of measuring: jobs in, results out, in whatever order workers finish them.
//
// A job is leased to a worker, not given: when the worker dies or stays silent, the job goes to
// another one. The second worker to die with it is the proof that the job is the killer, and it
// comes back as Outcome::kLost.
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

/// How long a worker may take.
struct WorkerPatience {
  std::chrono::milliseconds hello{5'000};       ///< from its connection to its first words
  std::chrono::milliseconds heartbeat{10'000};  ///< between two; they come every second
  std::chrono::milliseconds job{60'000};        ///< beyond what the job's limits allow
  /// From the loss of a local board, or of a local worker that cannot start again, to giving it up.
  std::chrono::milliseconds board{300'000};
};

/// What a job may take by its limits, on a machine that does several things at once.
std::chrono::milliseconds time_of(const MeasureLimits& limits);

struct WorkerPoolOptions {
  /// "unix:PATH" or "HOST:PORT" (port 0: any free one); empty: a socket in a new directory.
  std::string listen;
  std::string keys;       ///< directory for read_keys(); empty: links are not encrypted
  bool insecure = false;  ///< an address that other machines reach may be listened on without keys
  /// Workers that the pool starts itself and restarts when they die; 0 waits for remote ones.
  int local_workers = 0;
  /// Started beside them where a board is on this machine: one that only runs, while the local
  /// workers only build, so that the board never waits for a compiler.
  bool local_board = false;
  /// What starts a local worker, e.g. {"/usr/bin/tune", "worker"}; `--connect ADDRESS --device
  /// DEVICE` is appended.
  std::vector<std::string> worker_command;
  std::string worker_device;    ///< DEVICE above; empty: the device's name
  int restarts_per_worker = 8;  ///< deaths without a finished job between them
  WorkerPatience patience;
  /// More than `tune` starts itself at most; beyond, a worker is told so and its stream ends.
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
  std::vector<WorkerStatistics> workers;  ///< those that are connected
  WorkerStatistics departed;              ///< the sum of those that were
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

  /// Listens and starts the local workers; does not wait for them. kInvalidInput: an address that
  /// is malformed or too long for a socket, or that other machines reach without keys. kFailed: the
  /// address is taken.
  static Result<std::unique_ptr<WorkerPool>> open(const Device& device, WorkerPoolOptions options,
                                                  LogSink log = null_log());
  /// Drops what is not finished; no local worker outlives it.
  ~WorkerPool();

  /// Where workers connect: as listened to, with the real port.
  const std::string& address() const;
  size_t connected_workers() const;

  /// The data every job of a task shares; sent to each worker once.
  Task add_task(const TaskData& task);
  /// `stage`: a build alone, or a run on a simulator or a board as well.
  Ticket submit(Task task, const Schedule& schedule, const MeasureLimits& limits,
                Fidelity stage = Fidelity::kSimulate);

  /// A finished job, or nothing within `timeout`. kFailed: no worker is left that could run (or
  /// build) and no local one can be kept alive, as where a board was lost for good, or none can do
  /// its work (a full disk); the message has the reason. A pool without local workers waits.
  Result<std::optional<Finished>> next_finished(std::chrono::milliseconds timeout);

  PoolStatistics statistics() const;

 private:
  struct State;
  explicit WorkerPool(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
