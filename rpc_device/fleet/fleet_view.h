// Read-only view of a fleet, for `tune fleet`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// One worker, or a board in quarantine whose worker is gone.
struct WorkerView {
  std::string name;     ///< "host:process"; empty: no worker is connected for this board
  bool builds = false;  ///< can compile
  std::string runs_on;  ///< "simulator", or a board's id; empty: it only builds
  std::string state;    ///< "idle", "rests", "builds", "runs", "measures", "is examined", …
  std::string job;      ///< the schedule of its lease; empty: no lease
  double lease_ms = 0;  ///< age of the lease
  uint64_t jobs = 0;    ///< finished jobs
  double busy_ms = 0, idle_ms = 0;
  int faults = 0;       ///< consecutive faults
  std::string trouble;  ///< last fault and result of the last examination; empty: none
  bool quarantined = false;

  /// Returns jobs per minute while connected.
  double rate() const;
};

struct FleetView {
  std::string device, build;
  double run_ms = 0;                           ///< since the tuner started to listen
  uint64_t waiting = 0, leased = 0, done = 0;  ///< jobs
  uint64_t redone = 0;                         ///< jobs queued again after a worker died
  std::vector<WorkerView> workers;
};

/// Queries one tuner's fleet repeatedly. Not thread-safe.
class FleetWindow {
 public:
  /// `connect` and `keys` as in WorkerOptions; the keys' scope must have "view". Does not dial yet.
  /// Errors as parse_address() and read_keys().
  static Result<std::unique_ptr<FleetWindow>> open(const std::string& connect,
                                                   const std::string& keys);
  ~FleetWindow();

  /// Dials if necessary and returns the current view. kFailed: no tuner answers. kInvalidInput: it
  /// refuses these keys. kUnsupported: it has another version.
  Result<FleetView> look(int timeout_ms);

 private:
  struct State;
  explicit FleetWindow(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
