// A measurement job: one schedule, and everything needed to check its output and time it.
//
// The reference operator runs once per task, in the tuner. A job refers to the test cases by the
// task's digest, so their bytes are sent once per worker and not once per candidate.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/digest.h"
#include "measure/contents.h"
#include "records/measurement.h"
#include "schedules/layer_data.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

/// One input and the exact output of the reference for it.
struct TestCase {
  std::string name;  ///< "random", "all_min", "all_max", "zero_point", "saturating_high", …
  Contents input;
  std::vector<uint8_t> expected;
};

/// Data that all candidates of a task share. The first of `cases` is the one that is timed.
struct TaskData {
  Workload workload;
  LayerData data;
  std::vector<TestCase> cases;

  /// Returns the digest of all parts. Tasks with equal digests are taken to be equal.
  Digest digest() const;
};

/// Checks that a task is consistent: the workload is within its ranges, constants and cases have
/// exactly its sizes, there is at least one case, and the reference accepts the multipliers and
/// shifts. Code that packs, builds or runs a task from outside relies on this check. kInvalidInput
/// says in one line what is wrong.
Status check_task(const TaskData& task);

struct MeasureLimits {
  /// Processor time of a build. A wall-time limit would reject candidates on a busy machine.
  int build_cpu_ms = 20'000;
  uint64_t build_memory_bytes = uint64_t{1} << 30;
  uint64_t run_cycles = 2'000'000'000;  ///< of one call, if the board limits cycles
  uint32_t run_ms = 60'000;             ///< of one call, if the board limits time
  int repeats = 1;                      ///< timed calls; simulators are exact, boards need more
  /// If false, only the timed call's output is compared; such a result must not be logged. For
  /// surveys of spaces, where a wrong kernel is as useful a row as any.
  bool verify = true;
};

/// One candidate of a task.
struct MeasureJob {
  Schedule schedule;
  Fidelity stage = Fidelity::kSimulate;  ///< last stage to perform; kBuild needs no board
  MeasureLimits limits;
};

struct StageTimes {
  double lower_ms = 0, llvm_ms = 0, link_ms = 0, run_ms = 0, verify_ms = 0;
};

/// The part of a Measurement that the worker knows, and the time of each stage.
struct MeasureResult {
  Outcome outcome = Outcome::kLost;
  std::string detail;
  Fidelity fidelity = Fidelity::kSimulate;
  std::string source = std::string(kSimulatorSource);  ///< or a board's unique id
  std::vector<uint64_t> cycles;                        ///< empty unless kOk and run
  uint64_t instructions = 0;  ///< 0 if the board counts none, and unless kOk
  uint64_t ram_bytes = 0;
  CodeFacts code;     ///< zeros unless built
  std::string image;  ///< digest of code and constants; empty unless built
  std::string build;  ///< version of the worker's build
  StageTimes times;
};

}  // namespace tinytune
