// Logs made into other logs: joined without repetitions, and reduced to what wins.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "records/measurement.h"

namespace tinytune {

/// In order; of records with one device description, kind of measuring, workload and schedule the
/// first stays, but one that was lost gives way to any other.
std::vector<Measurement> without_repetitions(std::span<const Measurement> measurements);

/// Of each device description, kind of measuring and workload the record with the fewest cycles,
/// the earlier one on a tie; in order. Those without a valid record are left out.
std::vector<Measurement> best_of_each_workload(std::span<const Measurement> measurements);

/// What happened to the candidates of one workload on one device.
struct WorkloadTally {
  std::string device, workload;
  uint64_t trials = 0;
  std::map<Outcome, uint64_t> outcomes;
  std::optional<uint64_t> first_cycles, best_cycles;  ///< of valid records, in order
  double seconds = 0;                                 ///< of workers
};

/// In order of first appearance.
std::vector<WorkloadTally> tallies_of(std::span<const Measurement> measurements);

}  // namespace tinytune
