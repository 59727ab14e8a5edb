#include "records/log_merge.h"

#include <set>
#include <tuple>

namespace tinytune {
namespace {

/// Records compete only if these are equal: device hash, fidelity, workload.
using Contest = std::tuple<uint64_t, Fidelity, std::string>;

Contest contest_of(const Measurement& m) { return {m.device_hash, m.fidelity, m.workload}; }

}  // namespace

std::vector<Measurement> without_repetitions(std::span<const Measurement> measurements) {
  std::vector<Measurement> kept;
  std::map<std::pair<Contest, std::string>, size_t> known;
  for (const Measurement& m : measurements) {
    const auto [at, is_first] = known.try_emplace({contest_of(m), m.schedule}, kept.size());
    if (is_first) {
      kept.push_back(m);
    } else if (kept[at->second].outcome == Outcome::kLost) {
      kept[at->second] = m;
    }
  }
  return kept;
}

std::vector<Measurement> best_of_each_workload(std::span<const Measurement> measurements) {
  std::map<Contest, size_t> best;
  for (size_t i = 0; i < measurements.size(); ++i) {
    const auto cycles = measurements[i].median_cycles();
    if (!cycles) continue;
    const auto [at, is_first] = best.try_emplace(contest_of(measurements[i]), i);
    if (!is_first && *cycles < *measurements[at->second].median_cycles()) at->second = i;
  }
  std::set<size_t> chosen;  // sorted, and so in the log's order
  for (const auto& [contest, index] : best) chosen.insert(index);
  std::vector<Measurement> found;
  for (const size_t index : chosen) found.push_back(measurements[index]);
  return found;
}

std::vector<WorkloadTally> tallies_of(std::span<const Measurement> measurements) {
  std::vector<WorkloadTally> tallies;
  std::map<std::pair<std::string, std::string>, size_t> known;
  for (const Measurement& m : measurements) {
    const auto [at, is_first] = known.try_emplace({m.device, m.workload}, tallies.size());
    if (is_first) tallies.push_back({m.device, m.workload, 0, {}, {}, {}, 0});
    WorkloadTally& tally = tallies[at->second];
    ++tally.trials;
    ++tally.outcomes[m.outcome];
    tally.seconds += m.seconds;
    const auto cycles = m.median_cycles();
    if (!cycles) continue;
    if (!tally.first_cycles) tally.first_cycles = cycles;
    if (!tally.best_cycles || *cycles < *tally.best_cycles) tally.best_cycles = cycles;
  }
  return tallies;
}

}  // namespace tinytune
