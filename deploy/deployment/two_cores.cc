// Deployment on two cores: which layers they share.
#include <map>
#include <utility>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/split_layers.h"
#include "deploy/deployment/deployment.h"
#include "deploy/model/model_state.h"

namespace tinytune {
namespace {

std::map<int, uint64_t> cycles_by_layer(const RunReport& report) {
  std::map<int, uint64_t> cycles;
  for (const LayerCost& layer : report.layers) cycles[layer.index] += layer.cycles;
  return cycles;
}

/// Those whose layer takes fewer cycles shared than alone.
std::vector<CoreSplit> worthwhile(const std::vector<CoreSplit>& splits, const RunReport& alone,
                                  const RunReport& shared) {
  std::map<int, uint64_t> before = cycles_by_layer(alone), after = cycles_by_layer(shared);
  std::vector<CoreSplit> kept;
  for (const CoreSplit& split : splits)
    if (after[split.index] < before[split.index]) kept.push_back(split);
  return kept;
}

}  // namespace

Status Deployment::check_cores() const {
  if (cores < 1 || cores > 2) return Error(ErrorCode::kInvalidInput, "--cores takes 1 or 2");
  if (cores > device.cores)
    return Error(ErrorCode::kInvalidInput,
                 device.name + " has one core; --cores 2 needs a device with two");
  if (cores > 1 && input != InputArrival::kWhole)
    return Error(ErrorCode::kUnsupported,
                 "an input that arrives in rows or frames is computed by one core");
  return ok_status();
}

// What a split costs is known once it ran: other kernels, collisions, and places in fast memory
// that two kernels of one layer want. So all layers that can be are split, then those that lost by
// it are not, and the result has to beat one core.
Result<GeneratedNetwork> Deployment::on_two_cores(const NetworkOptions& options,
                                                  GeneratedNetwork alone) const {
  const LaidOutGraph graph = laid_out(model.state().network, options);
  NetworkOptions shared = options;
  shared.splits = even_splits(graph, {});
  const auto one_core_says = [&](const std::string& why) -> Result<GeneratedNetwork> {
    if (sink) sink(MessageKind::kInfo, "one core computes all layers: " + why);
    return std::move(alone);
  };
  if (alone.in_strips) return one_core_says("they run in strips, for the arena's sake");
  if (shared.splits.empty()) return one_core_says("none is computed in parts");
  Result<GeneratedNetwork> all = within_ram(shared);
  if (!all) return one_core_says(all.error().message());
  const Result<RunReport> ran_alone = try_out(alone);
  if (!ran_alone && ran_alone.error().code() != ErrorCode::kFailed) return all;  // nothing tells
  if (!ran_alone) return ran_alone.error();
  TT_TRY_ASSIGN(const RunReport ran_all, try_out(*all));
  uint64_t fewest = ran_alone->footprint.cycles;
  std::optional<GeneratedNetwork> best;
  const auto consider = [&](GeneratedNetwork network, const RunReport& ran) {
    if (ran.footprint.cycles >= fewest) return;
    fewest = ran.footprint.cycles;
    best = std::move(network);
  };
  const std::vector<CoreSplit> kept = worthwhile(shared.splits, *ran_alone, ran_all);
  const bool all_pay = kept == shared.splits;
  consider(std::move(*all), ran_all);
  if (!all_pay && !kept.empty()) {
    shared.splits = kept;
    Result<GeneratedNetwork> some = within_ram(shared);
    if (some) {
      TT_TRY_ASSIGN(const RunReport ran, try_out(*some));
      consider(std::move(*some), ran);
    }
  }
  if (!best) return one_core_says("shared layers would take longer");
  return std::move(*best);
}

}  // namespace tinytune
