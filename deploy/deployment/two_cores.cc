// Chooses the layers that two cores share.
#include <map>
#include <utility>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/split_layers.h"
#include "deploy/deployment/kernel_moves.h"
#include "deploy/deployment/network_moves.h"
#include "deploy/model/model_state.h"

namespace tinytune {
namespace {

std::map<int, uint64_t> cycles_by_layer(const RunReport& report) {
  std::map<int, uint64_t> cycles;
  for (const LayerCost& layer : report.layers) cycles[layer.index] += layer.cycles;
  return cycles;
}

/// Returns the splits whose layer takes fewer cycles shared than alone.
std::vector<CoreSplit> worthwhile(const std::vector<CoreSplit>& splits, const RunReport& alone,
                                  const RunReport& shared) {
  std::map<int, uint64_t> before = cycles_by_layer(alone), after = cycles_by_layer(shared);
  std::vector<CoreSplit> kept;
  for (const CoreSplit& split : splits)
    if (after[split.index] < before[split.index]) kept.push_back(split);
  return kept;
}

}  // namespace

Status check_cores(const Deployment& deployment) {
  const int cores = deployment.cores;
  if (cores < 1 || cores > 2) return Error(ErrorCode::kInvalidInput, "--cores takes 1 or 2");
  if (cores > deployment.device.cores)
    return Error(ErrorCode::kInvalidInput,
                 deployment.device.name + " has one core; --cores 2 needs a device with two");
  if (cores > 1 && deployment.input != InputArrival::kWhole)
    return Error(ErrorCode::kUnsupported,
                 "an input that arrives in rows or frames is computed by one core");
  return ok_status();
}

// The effect of a split is known only after a run: other kernels, memory collisions, and two
// kernels of one layer that compete for fast memory. So all splittable layers are split first, then
// only those that gained, and the result must beat one core.
Proposal on_two_cores(NetworkSearch& search) {
  const Deployment& deployment = search.deployment;
  if (deployment.cores < 2 || !search.best) return {};
  if (!search.best->network.strips.empty())
    return NotProposed{"they run in strips, for the arena's sake"};
  const LaidOutGraph graph = laid_out(deployment.model.state().network, search.options);
  NetworkOptions shared = search.options;
  shared.splits = even_splits(graph, {});
  if (shared.splits.empty()) return NotProposed{"none is computed in parts"};
  Result<Candidate> all = fastest_kernels(deployment, shared);
  if (!all) return NotProposed{all.error().message()};
  const Status ran_alone = run_once(deployment, *search.best);
  if (!ran_alone && ran_alone.error().code() != ErrorCode::kFailed)
    return std::move(*all);  // cannot run here
  if (!ran_alone) return ran_alone.error();
  TT_TRY(run_once(deployment, *all));
  const std::vector<CoreSplit> kept = worthwhile(shared.splits, *search.best->ran, *all->ran);
  if (kept.empty() || kept == shared.splits) return std::move(*all);
  shared.splits = kept;
  Result<Candidate> some = fastest_kernels(deployment, shared);
  if (!some) return std::move(*all);
  TT_TRY(run_once(deployment, *some));
  return some->ran->footprint.cycles < all->ran->footprint.cycles ? std::move(*some)
                                                                  : std::move(*all);
}

}  // namespace tinytune
