// Jobs between submit and result: waiting, leased, finished. Knows nothing of processes or wires.
//
// A job goes to a worker that can take it further. One that builds and runs does the whole of it;
// otherwise it is built by one, waits again with its image, and is run by another, so that a board
// never waits for a compiler. Older jobs go first, so a job that comes back is the next to go out.
// Of jobs that share work (`kin`), the later ones wait for the process that had the first, as long
// as others have something else to do.
//
// Blame counts witnesses, and a witness is a process: when a second one dies with a job, the job
// is the killer and `lost`. A process that loses its connection twice is one witness. What went
// wrong around a job (a full disk, a worker gone before it began) is nobody's fault. See
// doc/adr/0032-job-queue.md.
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
  kBuild,      ///< build, and say how it went
  kMakeImage,  ///< build for another worker
  kRunImage,   ///< run what another worker built
  kMeasure,    ///< build and run
};

/// What a worker can do, and who it is.
struct WorkerSkills {
  uint64_t instance = 0;  ///< of the process: who is blamed
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
  /// Where one process is all there is, and comes back each time.
  static constexpr int kDeathsUntilLost = 5;
  /// How long a job is kept from a process that died with it already, for others to take it.
  static constexpr std::chrono::seconds kChanceForOthers{5};

  /// Jobs of a task with equal `kin`, if any, are built cheaper by one process.
  uint64_t submit(size_t task, std::string schedule, const MeasureLimits& limits, Fidelity stage,
                  const std::string& kin = "");

  /// The oldest job that this worker can take further, and whose kin no other process has; failing
  /// that, the oldest. Nothing if there is none, or after close().
  std::optional<Lease> take(const WorkerSkills& worker, Clock::time_point now = Clock::now());
  /// A leased job's result.
  void finish(uint64_t ticket, MeasureResult result);
  /// A leased job is built and waits for a worker that runs it; `built` is what is known so far.
  void hand_on(uint64_t ticket, MeasureResult built, std::string image);
  /// The lease ended, and nobody is to blame.
  void give_back(uint64_t ticket);
  /// The lease ended because the worker's surroundings failed it (disk, memory, processes).
  void give_back_failed(uint64_t ticket, const std::string& why);
  /// The worker died with the job, or let its time run out.
  void blame(uint64_t ticket, uint64_t instance, const std::string& who,
             Clock::time_point now = Clock::now());

  /// Whether some job waits that this worker can take further.
  bool has_work_for(const WorkerSkills& worker) const;

  std::optional<Finished> next_finished(std::chrono::milliseconds timeout);

  /// Why surroundings failed, if they did `times` in a row without a result in between.
  std::optional<std::string> failing(uint64_t times) const;

  /// Wakes everyone; nothing is handed out any more.
  void close();
  bool closed() const;
  struct Counts {
    uint64_t waiting = 0, leased = 0, done = 0;
    uint64_t redone = 0;  ///< handed out again after a worker died with them
  };
  Counts counts() const;

 private:
  struct Job {
    Lease lease;
    std::optional<MeasureResult> built;
    std::string kin;  ///< its task's number included; empty: of no kin
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
  std::map<std::string, uint64_t> homes_;  ///< by kin: the process that built one of it last
  std::deque<Finished> finished_;
};

}  // namespace tinytune
