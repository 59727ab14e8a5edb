// Joins logs without duplicates, reduces them to their best records, and counts trials.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "records/measurement.h"

namespace tinytune {

/// Removes duplicates, keeping the order. Of records with the same device hash, fidelity, workload
/// and schedule the first is kept, but a `lost` one is replaced by any other.
std::vector<Measurement> without_repetitions(std::span<const Measurement> measurements);

/// Returns, for each device hash, fidelity and workload, the record with the fewest cycles (the
/// earlier one on a tie), in the log's order. Workloads without a valid record are left out.
std::vector<Measurement> best_of_each_workload(std::span<const Measurement> measurements);

/// Statistics of the candidates of one workload on one device.
struct WorkloadTally {
  std::string device, workload;
  uint64_t trials = 0;
  std::map<Outcome, uint64_t> outcomes;
  std::optional<uint64_t> first_cycles, best_cycles;  ///< of valid records, in order
  double seconds = 0;                                 ///< total time of workers
};

/// Returns a tally per device and workload, in order of first appearance.
std::vector<WorkloadTally> tallies_of(std::span<const Measurement> measurements);

}  // namespace tinytune
