// Deployment with weights that arrive: which layers' constants are copied while earlier code runs.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "codegen/networks/arriving_layers.h"
#include "codegen/networks/executed_graph.h"
#include "deploy/deployment.h"
#include "deploy/fast_memory.h"
#include "deploy/fitting.h"
#include "deploy/model_state.h"
#include "models/control_flow.h"
#include "models/integer_op.h"
#include "rpc_device/boards/open_board.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

// Nothing hides the transfer of a network's first block and the computation of its last, so blocks
// are small; what starting one costs is a few per cent of this one.
constexpr int64_t kBlockBytes = 2048;

enum class Kernels {
  kOfLayers,  ///< as they were chosen without arrival
  kLean,      ///< as chosen where each byte of constants costs what it takes to arrive
  kOfBlocks,  ///< the defaults of blocks' workloads
};

/// A way to cut layers of one pixel. Some kernels are slow with few channels, those that pack by
/// value may have another best schedule for them, and what takes many bytes may arrive too late or
/// find no room.
struct Cut {
  int least_channels;
  Kernels kernels;
};
constexpr Cut kCuts[] = {
    {8, Kernels::kOfLayers}, {8, Kernels::kLean}, {4, Kernels::kOfLayers}, {8, Kernels::kOfBlocks}};

int blocks_for(const KernelOp& op, int least_channels) {
  const auto bytes = static_cast<int64_t>(op.data.weights.size());
  int most = 1;
  const int limit = op.workload.out_c / least_channels;
  for (int blocks = 1; blocks <= limit && bytes / most > kBlockBytes; ++blocks)
    if (has_blocks(op.workload, blocks)) most = blocks;
  return most;
}

/// Functions whose constants were all left in flash.
bool stays_in_flash(const GeneratedNetwork& network, const std::string& symbol) {
  for (size_t i = 0; i < network.placeable.size(); ++i) {
    const PlaceablePart& part = network.placeable[i];
    if (part.code || network.homes[i] == 0) continue;
    if (std::find(part.layers.begin(), part.layers.end(), symbol) != part.layers.end())
      return false;
  }
  return true;
}

/// By operator of the model.
std::map<int, LayerCost> costs_of(const RunReport& report) {
  std::map<int, LayerCost> costs;
  for (const LayerCost& layer : report.layers) costs[layer.index] = layer;
  return costs;
}

class ArrivalPlan {
 public:
  ArrivalPlan(const LaidOutGraph& graph, const GeneratedNetwork& network, const RunReport& ran,
              const ArrivalWay& way, int least_channels)
      : way_(way), costs_(costs_of(ran)) {
    for (size_t step = 0; step < graph.ops.size(); ++step) {
      indices_.push_back(graph.graph.operators[step].index);
      runs_.push_back(!network.layers[step].symbol.empty());
      const auto* op = std::get_if<KernelOp>(&graph.ops[step]);
      if (op == nullptr || !runs_.back() || costs_[indices_.back()].read_wait_cycles == 0 ||
          !stays_in_flash(network, network.layers[step].symbol))
        continue;
      layers_.push_back({static_cast<int>(step), 1, 0});
      bytes_[static_cast<int>(step)] = op->data.weights.size();
      cut(layers_.back(), blocks_for(*op, least_channels));
    }
  }

  bool empty() const { return layers_.empty(); }
  int index_of(const ArrivingLayer& layer) const {
    return indices_[static_cast<size_t>(layer.step)];
  }
  uint64_t cycles_of(const ArrivingLayer& layer) const { return costs_.at(index_of(layer)).cycles; }
  const std::vector<ArrivingLayer>& layers() const { return layers_; }
  std::vector<ArrivingLayer>& layers() { return layers_; }
  bool has_blocks() const {
    return std::any_of(layers_.begin(), layers_.end(),
                       [](const ArrivingLayer& layer) { return layer.blocks > 1; });
  }

  void cut(ArrivingLayer& layer, int blocks) {
    bytes_[layer.step] =
        bytes_[layer.step] * static_cast<size_t>(layer.blocks) / static_cast<size_t>(blocks);
    layer.blocks = blocks;
  }

  /// Of these layers. Each sets out as late as still hides it, or where the one before it lets it.
  Arrivals arrivals() const {
    Arrivals all{way_, layers_};
    int earliest = first_step();
    for (ArrivingLayer& layer : all.layers) {
      const double load = static_cast<double>(bytes_.at(layer.step)) * way_.piece_cycles /
                          static_cast<double>(way_.piece_bytes);
      double hidden = 0;
      layer.start_step = layer.step;
      for (int step = layer.step - 1; step >= earliest && hidden < load; --step) {
        if (!runs_[static_cast<size_t>(step)]) continue;
        layer.start_step = step;
        hidden += computing_cycles(step);
      }
      earliest = layer.step;
    }
    return all;
  }

  /// Keeps layers for which `wanted` holds.
  template <typename Wanted>
  void keep(Wanted wanted) {
    std::erase_if(layers_, [&](const ArrivingLayer& layer) { return !wanted(layer); });
  }

  /// Gives up the one that takes most RAM.
  void drop_largest() {
    layers_.erase(std::max_element(
        layers_.begin(), layers_.end(),
        [&](const auto& a, const auto& b) { return bytes_.at(a.step) < bytes_.at(b.step); }));
  }

 private:
  int first_step() const {
    return static_cast<int>(std::find(runs_.begin(), runs_.end(), true) - runs_.begin());
  }

  // An arriving layer's last block alone.
  double computing_cycles(int step) const {
    const auto cost = costs_.find(indices_[static_cast<size_t>(step)]);
    if (cost == costs_.end()) return 0;
    const auto cycles = static_cast<double>(cost->second.cycles - cost->second.read_wait_cycles);
    for (const ArrivingLayer& layer : layers_)
      if (layer.step == step) return cycles / layer.blocks;
    return cycles;
  }

  const ArrivalWay& way_;
  std::map<int, LayerCost> costs_;
  std::vector<int> indices_;  // by step
  std::vector<bool> runs_;    // by step
  std::vector<ArrivingLayer> layers_;
  std::map<int, size_t> bytes_;  // of a block, by step
};

/// What each workload is computed with.
std::map<std::string, GivenSchedule> schedules_of(const LaidOutGraph& graph,
                                                  const GeneratedNetwork& network) {
  std::map<std::string, GivenSchedule> schedules;
  for (size_t step = 0; step < graph.ops.size(); ++step)
    if (const auto* op = std::get_if<KernelOp>(&graph.ops[step]))
      if (const GeneratedLayer& layer = network.layers[step]; layer.schedule)
        schedules[to_text(op->workload)] = {*layer.schedule, layer.tuned};
  return schedules;
}

}  // namespace

Result<std::optional<ArrivalWay>> find_arrival(const std::string& device, const std::string& name) {
  if (name.empty()) return std::optional<ArrivalWay>();
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(device));
  TT_TRY_ASSIGN(const std::vector<ArrivalWay> ways, load_arrival_ways(address.device));
  std::string known;
  for (const ArrivalWay& way : ways) {
    if (way.name == name) return std::optional(way);
    known += (known.empty() ? "" : ", ") + way.name;
  }
  return Error(ErrorCode::kInvalidInput, address.device + " has no way \"" + name +
                                             "\" for weights to arrive; " +
                                             (known.empty() ? "it has none" : "it has " + known));
}

Status Deployment::check_arrival() const {
  if (!arrival || (cores == 1 && input == InputArrival::kWhole && !share)) return ok_status();
  return Error(ErrorCode::kUnsupported, "--arrive is for one core, one network and a whole input");
}

// Kernels stay what they are, so that a layer only gains what it waited. What the others gain or
// lose by a smaller cache footprint or a larger arena is simulated: layers that lost are taken
// back, and the result has to beat the network without.
Result<GeneratedNetwork> Deployment::with_arrivals(const NetworkOptions& options,
                                                   GeneratedNetwork alone) const {
  const auto stays = [&](const std::string& why) -> Result<GeneratedNetwork> {
    if (sink) sink(MessageKind::kInfo, "no weights arrive: " + why);
    return std::move(alone);
  };
  if (alone.in_strips) return stays("layers run in strips, for the arena's sake");
  if (has_control_flow(model.state().graph)) return stays("the network has IF or WHILE");
  const Result<RunReport> ran = try_out(alone);
  if (!ran && ran.error().code() != ErrorCode::kFailed) return stays(ran.error().message());
  if (!ran) return ran.error();
  const LaidOutGraph graph = laid_out(model.state().network, options);
  const auto of_layers = schedules_of(graph, alone);
  std::map<std::string, GivenSchedule> of_blocks = {};  // before those of layers
  const ScheduleSource source = [&](const Workload& workload) -> std::optional<GivenSchedule> {
    const std::string text = to_text(workload);
    for (const auto* known : {&std::as_const(of_blocks), &of_layers})
      if (const auto found = known->find(text); found != known->end()) return found->second;
    return std::nullopt;
  };
  KernelLimits lean_limits{.arena_bytes = alone.arena_bytes};
  lean_limits.copies_bytes = 0;
  FlashWaits price;
  for (const GeneratedLayer& layer : alone.layers)
    price[layer.index] = static_cast<double>(arrival->piece_cycles) / arrival->piece_bytes;
  const Result<GeneratedNetwork> lean =
      generate_within(model.state().network, device, records, lean_limits, options, price);
  const auto of_lean_layers =
      lean ? schedules_of(graph, *lean) : std::map<std::string, GivenSchedule>();
  const auto give_kernel = [&](const ArrivingLayer& layer, Kernels kernels) {
    const auto& op = std::get<KernelOp>(graph.ops[static_cast<size_t>(layer.step)]);
    if (kernels == Kernels::kLean) {
      const std::string text = to_text(op.workload);
      const auto found = of_lean_layers.find(text);
      if (found != of_lean_layers.end()) of_blocks[text] = found->second;
    }
    if (kernels != Kernels::kOfBlocks || layer.blocks == 1) return;
    const KernelOp block = block_of(op, layer.blocks, 0);
    if (auto usual = permitted_default_of(block.workload, block.data, device))
      of_blocks[to_text(block.workload)] = {std::move(usual->schedule), false};
  };

  struct Tried {
    GeneratedNetwork network;
    RunReport ran;
  };
  const auto attempt = [&](const ArrivalPlan& plan) -> Result<Tried> {
    NetworkOptions arriving = options;
    arriving.arrivals = plan.arrivals();
    TT_TRY_ASSIGN(GeneratedNetwork network,
                  generate_network(model.state().network, device, source, arriving));
    if (limits.arena_bytes && network.arena_bytes > *limits.arena_bytes)
      return Error(ErrorCode::kFailed, "its arena is larger than --arena allows");
    TT_TRY(check_arena(network));
    const FastBudget budget =
        fast_budget(device, network.arena_bytes, limits, ran->footprint.stack_bytes, 1);
    TT_TRY(place_in_fast_memory(model.state().graph, device, budget, network));
    TT_TRY_ASSIGN(RunReport report, try_out(network));
    if (excess(report.footprint) > 0) return exceeded(report.footprint);
    return Tried{std::move(network), std::move(report)};
  };
  /// With as many of the plan's layers as there is RAM for.
  const auto attempt_some = [&](ArrivalPlan& plan) -> Result<Tried> {
    Result<Tried> tried = attempt(plan);
    while (!tried && tried.error().code() == ErrorCode::kFailed && plan.layers().size() > 1) {
      plan.drop_largest();
      tried = attempt(plan);
    }
    return tried;
  };
  std::optional<GeneratedNetwork> best;
  uint64_t fewest = ran->footprint.cycles;
  const auto consider = [&](Tried tried) {
    if (tried.ran.footprint.cycles >= fewest) return;
    fewest = tried.ran.footprint.cycles;
    best = std::move(tried.network);
  };
  struct Choice {
    uint64_t cycles = 0;
    int blocks = 0;  ///< 0: they stay in flash
    Kernels kernels = Kernels::kOfLayers;
  };
  std::map<int, Choice> choices;  // by step
  std::string why = "none that layers wait for is in flash";
  for (const Cut& cut : kCuts) {
    ArrivalPlan plan(graph, alone, *ran, *arrival, cut.least_channels);
    if (plan.empty()) break;
    if (cut.kernels != Kernels::kLean && !plan.has_blocks() && !choices.empty()) continue;
    of_blocks.clear();
    for (const ArrivingLayer& layer : plan.layers()) {
      choices.try_emplace(layer.step, Choice{plan.cycles_of(layer)});
      give_kernel(layer, cut.kernels);
    }
    Result<Tried> tried = attempt_some(plan);
    if (!tried) why = tried.error().message();
    if (!tried) continue;
    const auto costs = costs_of(tried->ran);
    for (const ArrivingLayer& layer : plan.layers()) {
      Choice& choice = choices[layer.step];
      const uint64_t cycles = costs.at(plan.index_of(layer)).cycles;
      if (cycles < choice.cycles) choice = {cycles, layer.blocks, cut.kernels};
    }
    consider(std::move(*tried));
  }
  ArrivalPlan plan(graph, alone, *ran, *arrival, 1);
  plan.keep([&](const ArrivingLayer& layer) { return choices[layer.step].blocks > 0; });
  if (plan.empty()) return stays(why);
  of_blocks.clear();
  for (ArrivingLayer& layer : plan.layers()) {
    const Choice& choice = choices[layer.step];
    plan.cut(layer, choice.blocks);
    give_kernel(layer, choice.kernels);
  }
  if (Result<Tried> tried = attempt_some(plan)) consider(std::move(*tried));
  if (!best) return stays("it would take longer");
  return std::move(*best);
}

}  // namespace tinytune
