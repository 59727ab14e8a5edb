// A measurement job: one schedule, and everything needed to say whether it is right and how fast.
//
// The reference operator runs once per task, in the tuner; a job refers to its cases by the task's
// digest, so that the bytes cross the wire once per worker and not once per candidate.
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

/// One input and the exact output the reference gives for it.
struct TestCase {
  std::string name;  ///< "random", "all_min", "all_max", "zero_point", "saturating_high", …
  Contents input;
  std::vector<uint8_t> expected;
};

/// What every candidate of a task shares. Cases: the first is the one that is timed.
struct TaskData {
  Workload workload;
  LayerData data;
  std::vector<TestCase> cases;

  /// Of every part: equal digests are taken to be equal tasks.
  Digest digest() const;
};

/// Whether the parts belong together: a workload within its ranges, constants and cases of exactly
/// its sizes, at least one case, multipliers and shifts that the reference takes. Whatever packs,
/// builds or runs a task from outside relies on it. kInvalidInput says in one line what is wrong.
Status check_task(const TaskData& task);

struct MeasureLimits {
  /// Processor time of a build. Wall time would call a candidate bad because the machine is busy.
  int build_cpu_ms = 20'000;
  uint64_t build_memory_bytes = uint64_t{1} << 30;
  uint64_t run_cycles = 2'000'000'000;  ///< of one call, where the board limits cycles
  uint32_t run_ms = 60'000;             ///< of one call, where the board limits time
  int repeats = 1;                      ///< timed calls; simulators are exact, boards want more
  /// Without: the timed call's bytes are compared and nothing else, which is no measurement for a
  /// log. For surveys of spaces, where a wrong kernel is as good a row as any.
  bool verify = true;
};

/// One candidate of a task.
struct MeasureJob {
  Schedule schedule;
  Fidelity stage = Fidelity::kSimulate;  ///< how far it goes; kBuild: no board is needed
  MeasureLimits limits;
};

struct StageTimes {
  double lower_ms = 0, llvm_ms = 0, link_ms = 0, run_ms = 0, verify_ms = 0;
};

/// The part of a Measurement that the worker knows, and where its time went.
struct MeasureResult {
  Outcome outcome = Outcome::kLost;
  std::string detail;
  Fidelity fidelity = Fidelity::kSimulate;
  std::string source = std::string(kSimulatorSource);  ///< or a board's unique id
  std::vector<uint64_t> cycles;                        ///< empty unless kOk and run
  uint64_t instructions = 0;  ///< 0 on a board that counts none, and unless kOk
  uint64_t ram_bytes = 0;
  CodeFacts code;     ///< zeros unless built
  std::string image;  ///< digest of code and constants; empty unless built
  std::string build;  ///< of the worker
  StageTimes times;
};

}  // namespace tinytune
