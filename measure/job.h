// A measurement job: one schedule, and everything needed to say whether it is right and how fast.
//
// The reference operator runs once per task, in the tuner; a job refers to its cases by the task's
// hash, so that the bytes cross the wire once per worker and not once per candidate.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "records/measurement.h"
#include "schedules/layer_data.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"

namespace tinytune {

/// One input and the exact output the reference gives for it.
struct TestCase {
  std::string name;  ///< "random", "all_min", "all_max", "zero_point", "saturating"
  std::vector<uint8_t> input, expected;
};

/// What every candidate of a task shares. Cases: the first is the one that is timed.
struct TaskData {
  Workload workload;
  LayerData data;
  std::vector<TestCase> cases;
  uint64_t hash() const;
};

struct MeasureLimits {
  int build_timeout_ms = 20'000;
  uint64_t build_memory_bytes = uint64_t{1} << 30;
  uint64_t instruction_limit = 2'000'000'000;
  int repeats = 1;  ///< timed calls; simulators are exact, boards want more
};

struct StageTimes {
  double lower_ms = 0, llvm_ms = 0, link_ms = 0, run_ms = 0, verify_ms = 0;
};

/// The part of a Measurement that the worker knows, and where its time went.
struct MeasureResult {
  Outcome outcome = Outcome::kLost;
  std::string detail;
  std::vector<uint64_t> cycles;
  uint64_t instructions = 0, code_bytes = 0, ram_bytes = 0;
  StageTimes times;
};

}  // namespace tinytune
