// Jobs between submit and result: waiting, leased, finished. Independent of processes and wires.
//
// A job goes to a worker that can do its next step. A worker that builds and runs does both;
// otherwise one builds the job, it waits again with its image, and another runs it, so that a board
// never waits for a compiler. Older jobs go first, so a returned job is the next to be leased. Jobs
// that share work (`kin`) wait for the process that had the first of them, as long as other workers
// have other jobs.
//
// A job is declared `lost` when a second process dies with it; a process that loses its connection
// twice counts once. Failures around a job (a full disk, a worker gone before it began) do not
// count. See doc/adr/0032-job-queue.md.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "measure/job.h"

namespace tinytune {

enum class JobStep {
  kBuild,      ///< build and report the outcome
  kMakeImage,  ///< build and send the image, for another worker to run
  kRunImage,   ///< run an image that another worker built
  kMeasure,    ///< build and run
};

/// A worker's abilities and identity.
struct WorkerSkills {
  uint64_t instance = 0;  ///< identifies the process, for blame()
  bool builds = true;
  std::string runs_on;  ///< kSimulatorSource or a board's id; empty: it only builds
};

/// Thread-safe.
class JobQueue {
 public:
  using Clock = std::chrono::steady_clock;

  struct Lease {
    uint64_t ticket = 0;
    size_t task = 0;
    std::string schedule;  ///< text form
    MeasureLimits limits;
    Fidelity stage = Fidelity::kSimulate;
    JobStep step = JobStep::kMeasure;
    std::shared_ptr<const std::string> image;  ///< serialised; for kRunImage
  };
  struct Finished {
    uint64_t ticket = 0;
    MeasureResult result;
  };
  static constexpr size_t kWitnessesUntilLost = 2;
  /// Limit if there is only one process, which reconnects each time.
  static constexpr int kDeathsUntilLost = 5;
  /// How long a process that died with a job does not get it again, so that others can take it.
  static constexpr std::chrono::seconds kChanceForOthers{5};

  /// Queues a job and returns its ticket. Jobs of a task with equal, non-empty `kin` are built
  /// faster by one process.
  uint64_t submit(size_t task, std::string schedule, const MeasureLimits& limits, Fidelity stage,
                  const std::string& kin = "");

  /// Leases the oldest job whose next step this worker can do and whose kin no other process has;
  /// if there is none, the oldest whose next step it can do. nullopt: no such job, or closed.
  std::optional<Lease> take(const WorkerSkills& worker, Clock::time_point now = Clock::now());
  /// Ends a lease with the job's result.
  void finish(uint64_t ticket, MeasureResult result);
  /// Ends a lease with an image, which waits for a worker that runs it; `built` is the build's
  /// result.
  void hand_on(uint64_t ticket, MeasureResult built, std::string image);
  /// Ends a lease without blame; the job waits again.
  void give_back(uint64_t ticket);
  /// The same because the worker's environment failed (disk, memory, processes).
  void give_back_failed(uint64_t ticket, const std::string& why);
  /// Ends a lease because the worker died with the job or exceeded its time.
  void blame(uint64_t ticket, uint64_t instance, const std::string& who,
             Clock::time_point now = Clock::now());

  /// Returns whether a job waits whose next step this worker can do.
  bool has_work_for(const WorkerSkills& worker) const;

  std::optional<Finished> next_finished(std::chrono::milliseconds timeout);

  /// Returns the last reason of give_back_failed() if there were `times` in a row without a result
  /// in between.
  std::optional<std::string> failing(uint64_t times) const;

  /// Wakes all waiting callers; no more jobs are leased.
  void close();
  bool closed() const;
  struct Counts {
    uint64_t waiting = 0, leased = 0, done = 0;
    uint64_t redone = 0;  ///< queued again after a worker died with them
  };
  Counts counts() const;

 private:
  struct Job {
    Lease lease;
    std::optional<MeasureResult> built;
    std::string kin;  ///< with the task's number; empty: no kin
    std::set<uint64_t> witnesses;
    int deaths = 0;
    Clock::time_point last_death;
  };
  static std::optional<JobStep> next_step(const Job& job, const WorkerSkills& worker);
  bool has_kin_elsewhere(const Job& job, uint64_t instance) const;
  Job end_lease(uint64_t ticket);
  void put_back(Job job);
  void report(uint64_t ticket, MeasureResult result);

  mutable std::mutex mutex_;
  std::condition_variable results_;
  bool closed_ = false;
  uint64_t next_ticket_ = 1, done_ = 0, redone_ = 0, failures_in_a_row_ = 0;
  std::string last_failure_;
  std::map<uint64_t, Job> waiting_, leased_;
  std::map<std::string, uint64_t> homes_;  ///< by kin: the last process that got a job of it
  std::deque<Finished> finished_;
};

}  // namespace tinytune
