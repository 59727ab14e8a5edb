// A fleet as somebody sees it who only looks: what `tune fleet` shows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// One worker, or a board in quarantine whose worker is gone.
struct WorkerView {
  std::string name;     ///< "host:process"; empty: nobody is connected with this board
  bool builds = false;  ///< can compile
  std::string runs_on;  ///< "simulator", or a board's id; empty: it only builds
  std::string state;    ///< "idle", "rests", "builds", "runs", "measures", "is examined", …
  std::string job;      ///< the schedule of its lease; empty: it holds none
  double lease_ms = 0;  ///< how long it has held it
  uint64_t jobs = 0;    ///< done
  double busy_ms = 0, idle_ms = 0;
  int faults = 0;       ///< in a row
  std::string trouble;  ///< the last fault, what an examination found; empty: nothing
  bool quarantined = false;

  /// Jobs a minute, while connected.
  double rate() const;
};

struct FleetView {
  std::string device, build;
  double run_ms = 0;                           ///< since the tuner listens
  uint64_t waiting = 0, leased = 0, done = 0;  ///< jobs
  uint64_t redone = 0;                         ///< of them, handed out again after a death
  std::vector<WorkerView> workers;
};

/// Looks at one tuner's fleet, as often as asked. Not thread-safe.
class FleetWindow {
 public:
  /// `connect` and `keys` as WorkerOptions has them; the keys' scope must have "view". Dials
  /// nobody yet. Errors as parse_address() and read_keys().
  static Result<std::unique_ptr<FleetWindow>> open(const std::string& connect,
                                                   const std::string& keys);
  ~FleetWindow();

  /// kFailed: no tuner answers. kInvalidInput: it refuses these keys. kUnsupported: it is of
  /// another version.
  Result<FleetView> look(int timeout_ms);

 private:
  struct State;
  explicit FleetWindow(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
