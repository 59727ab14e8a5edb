// Weights that arrive: which layers' constants are copied while earlier code runs.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "codegen/networks/arriving_layers.h"
#include "codegen/networks/executed_graph.h"
#include "deploy/deployment/arrival_plan.h"
#include "deploy/deployment/layer_schedules.h"
#include "deploy/deployment/network_moves.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/fast_memory.h"
#include "deploy/selection/fitting.h"
#include "deploy/selection/hidden_kernels.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "models/control_flow.h"
#include "models/integer_op.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

enum class Kernels {
  kOfLayers,  ///< those chosen without arrival
  kLean,      ///< chosen with the transfer time of each constant byte as its cost
  kHidden,    ///< hidden_kernel(): bytes cost nothing while computation hides their transfer
  kOfBlocks,  ///< the defaults of blocks' workloads
};

/// A way to cut layers of one pixel into blocks. Several are tried: some kernels are slow with few
/// channels, those that pack by value may have another best schedule for a block, and large blocks
/// may arrive too late or not fit.
struct Cut {
  BlockSize size;
  Kernels kernels;
};
constexpr Cut kCuts[] = {
    {{8, kSmallBlock}, Kernels::kOfLayers}, {{8, kSmallBlock}, Kernels::kLean},
    {{4, kSmallBlock}, Kernels::kOfLayers}, {{8, kSmallBlock}, Kernels::kOfBlocks},
    {{8, kLargeBlock}, Kernels::kOfLayers}, {{8, kSmallBlock}, Kernels::kHidden},
    {{4, kSmallBlock}, Kernels::kHidden}};
/// The best choices of single layers may not be the best together, so a combination is also tried
/// before the hidden kernels join the choice.
constexpr const Cut* kFirstHidden = kCuts + 5;
/// Layers that cores share are not cut and keep their kernels: only the cuts before this one apply.
constexpr const Cut* kBehindShared = kCuts + 2;

/// Worth of an arriving byte, as a share of the cycles of its transfer; the larger, the more of a
/// transfer may remain unhidden.
constexpr double kWorths[] = {0.3, 0.6};
constexpr int kRounds = 2;  ///< layers' cycles without waits are known only after the first

// Searches the fastest network whose weights arrive. A layer keeps its kernel unless another one
// takes fewer cycles there, so that a layer only gains. Effects on other layers, by a smaller cache
// footprint or a larger arena, are simulated: layers that lose are taken back, and the result must
// beat the network without arrivals.
class ArrivalSearch {
 public:
  ArrivalSearch(const Deployment& deployment, const NetworkOptions& options,
                const GeneratedNetwork& alone, const RunReport& ran)
      : deployment_(deployment),
        options_(options),
        alone_(alone),
        ran_(ran),
        graph_(laid_out(deployment.model.state().network, options)),
        workloads_(workloads_of(graph_, options.splits)),
        of_layers_(schedules_of(workloads_, alone)),
        fewest_(ran.footprint.cycles) {}

  /// Returns the fastest network; nothing if none is faster than the one without arrivals.
  std::optional<Candidate> fastest() {
    find_lean_kernels();
    const bool shares = !options_.splits.empty();
    for (const Cut& cut : kCuts) {
      if (shares && &cut == kBehindShared) break;
      if (&cut == kFirstHidden) try_choices();
      try_cut(cut);
    }
    if (!try_choices()) return std::nullopt;
    if (copies_something() && !deployment_.arrival->locks_flash) try_hidden();
    why_ = "it would take longer";
    if (!best_) return std::nullopt;
    if (!shares) use_room();
    return Candidate{std::move(best_->network), std::move(best_->ran)};
  }

  const std::string& why() const { return why_; }

 private:
  struct Tried {
    GeneratedNetwork network;
    RunReport ran;
  };
  struct Choice {
    uint64_t cycles = 0;
    int blocks = 0;            ///< 0: the weights stay in flash
    Schedules schedules = {};  ///< those that differ from the layers' own
  };

  /// Tries all layers' choices of fewest cycles so far. Returns whether any layer arrives.
  bool try_choices() {
    ArrivalPlan plan = plan_of({1, kSmallBlock});
    plan.keep([&](const ArrivingLayer& layer) { return choices_[layer.step].blocks > 0; });
    if (plan.empty()) return false;
    own_.clear();
    for (ArrivingLayer& layer : plan.layers()) {
      const Choice& choice = choices_[layer.step];
      plan.cut(layer, choice.blocks);
      for (const auto& [text, schedule] : choice.schedules) own_[text] = schedule;
    }
    if (Result<Tried> tried = attempt_some(plan)) consider(std::move(*tried), plan);
    return true;
  }

  bool copies_something() const {
    const auto& homes = alone_.homes;
    return std::any_of(homes.begin(), homes.end(), [](FastHome home) { return home != 0; });
  }

  /// Weights that arrive leave their fast memory to others that wait, so layers that did not wait
  /// may arrive too: those whose transfers previous layers hide (keep_hidden()).
  void try_hidden() {
    const ArrivalWay& way = *deployment_.arrival;
    for (const double worth : kWorths) {
      RunReport ran = ran_;
      for (int round = 0; round < kRounds; ++round) {
        ArrivalPlan plan = ArrivalPlan::of_all(graph_, alone_, ran, way);
        plan.keep_hidden(worth * way.piece_cycles / way.piece_bytes);
        if (plan.empty()) break;
        own_.clear();
        Result<Tried> tried = attempt_some(plan);
        if (!tried) break;
        ran = without_waits(ran, tried->ran);
        consider(std::move(*tried), plan);
      }
    }
  }

  ArrivalPlan plan_of(const BlockSize& size) const {
    return ArrivalPlan(graph_, alone_, ran_, *deployment_.arrival, size);
  }
  const KernelOp& op_of(const ArrivingLayer& layer) const {
    return std::get<KernelOp>(graph_.ops[static_cast<size_t>(layer.step)]);
  }

  void find_lean_kernels() {
    KernelLimits limits{.arena_bytes = alone_.arena_bytes};
    limits.fast_ram_bytes = 0;
    const ArrivalWay& way = *deployment_.arrival;
    FlashWaits price;
    for (const GeneratedLayer& layer : alone_.layers)
      price[layer.index] = static_cast<double>(way.piece_cycles) / way.piece_bytes;
    if (const auto lean = generate(limits, price))
      of_lean_layers_ = schedules_of(workloads_, *lean);
  }

  Result<GeneratedNetwork> generate(const KernelLimits& limits, const FlashWaits& price) const {
    return generate_within(deployment_.model.state().network, deployment_.device,
                           deployment_.records, limits, options_, price);
  }

  /// Returns the schedules of a layer that differ from its own.
  Schedules kernels_for(const ArrivingLayer& layer, Kernels kernels,
                        const ArrivalPlan& plan) const {
    const KernelOp& op = op_of(layer);
    const KernelOp block = block_of(op, layer.blocks, 0);
    if (kernels == Kernels::kLean) {
      Schedules lean;
      for (const std::string& text : workloads_[static_cast<size_t>(layer.step)])
        if (const auto found = of_lean_layers_.find(text); found != of_lean_layers_.end())
          lean.insert(*found);
      return lean;
    } else if (kernels == Kernels::kHidden) {
      if (const auto found = hidden(layer, plan))
        return {{to_text(block.workload), {*found, false}}};
    } else if (kernels == Kernels::kOfBlocks && layer.blocks > 1) {
      if (auto usual = permitted_default_of(block.workload, block.data, deployment_.device))
        return {{to_text(block.workload), {std::move(usual->schedule), false}}};
    }
    return {};
  }

  /// Returns hidden_kernel() for all layers with its workload, with at most their present scratch.
  std::optional<Schedule> hidden(const ArrivingLayer& layer, const ArrivalPlan& plan) const {
    const Workload& workload = op_of(layer).workload;
    const auto known = of_layers_.find(to_text(workload));
    if (known == of_layers_.end()) return std::nullopt;
    std::vector<const KernelOp*> alike;
    for (const ArrivingLayer& other : plan.layers())
      if (op_of(other).workload == workload) alike.push_back(&op_of(other));
    return hidden_kernel(alike, layer.blocks, *deployment_.arrival, deployment_.device,
                         scratch_bytes_of(workload, known->second.schedule));
  }

  void try_cut(const Cut& cut) {
    ArrivalPlan plan = plan_of(cut.size);
    const bool of_whole = cut.kernels == Kernels::kLean || cut.kernels == Kernels::kHidden;
    if (plan.empty()) return;
    if (!of_whole && !plan.has_blocks() && !choices_.empty()) return;
    own_.clear();
    std::map<int, Schedules> given;  // by step
    for (const ArrivingLayer& layer : plan.layers()) {
      choices_.try_emplace(layer.step, Choice{plan.cycles_of(layer)});
      given[layer.step] = kernels_for(layer, cut.kernels, plan);
      for (const auto& [text, schedule] : given[layer.step]) own_[text] = schedule;
    }
    if (deployment_.arrival->locks_flash)
      plan.keep([&](const ArrivingLayer& layer) { return can_arrive(layer); });
    if (plan.empty()) return;
    Result<Tried> tried = attempt_some(plan);
    if (!tried) {
      why_ = tried.error().message();
      return;
    }
    const auto costs = costs_of(tried->ran);
    for (const ArrivingLayer& layer : plan.layers()) {
      Choice& choice = choices_[layer.step];
      const uint64_t cycles = costs.at(plan.index_of(layer)).cycles;
      if (cycles < choice.cycles) choice = {cycles, layer.blocks, given[layer.step]};
    }
    consider(std::move(*tried), plan);
  }

  /// Returns whether the layer's kernel may run while flash is locked.
  bool can_arrive(ArrivingLayer layer) const {
    layer.start_step = layer.step;
    NetworkOptions arriving = options_;
    arriving.arrivals = Arrivals{*deployment_.arrival, {layer}};
    return generate_with_own(arriving).has_value();
  }

  /// Generates the network with the schedules of own_.
  Result<GeneratedNetwork> generate_with_own(const NetworkOptions& options) const {
    const ScheduleSource source = [this](const Workload& workload) {
      return chosen(to_text(workload), own_);
    };
    return generate_network(deployment_.model.state().network, deployment_.device, source, options);
  }

  /// Blocks may have enlarged the arena beyond what kernels were chosen for, so kernels of other
  /// layers may use the room. Tries all at once, or one by one if they do not fit together.
  void use_room() {
    const uint64_t room = best_->network.arena_bytes;
    if (room <= alone_.arena_bytes) return;
    const auto roomy = generate({.arena_bytes = room}, {});
    if (!roomy) return;
    const ArrivalPlan plan = *best_plan_;
    const Schedules before = best_own_;
    Schedules others;
    for (const auto& [text, schedule] : schedules_of(workloads_, *roomy))
      if (const auto known = chosen(text, before); !known || known->schedule != schedule.schedule)
        others[text] = schedule;
    if (others.empty()) return;
    const auto with = [&](const Schedules& more, Schedules base,
                          const ArrivalPlan& arriving) -> std::optional<Tried> {
      own_ = std::move(base);
      for (const auto& [text, schedule] : more) own_[text] = schedule;
      Result<Tried> tried = attempt(arriving);
      if (!tried || tried->network.arena_bytes > room) return std::nullopt;
      return std::move(*tried);
    };
    if (auto all = with(others, before, plan)) {
      const Schedules better = those_that_gained(others, all->ran);
      consider(std::move(*all), plan);
      if (!better.empty() && better.size() < others.size())
        if (auto some = with(better, before, plan)) consider(std::move(*some), plan);
    } else {
      for (const auto& other : others)
        if (auto one = with({other}, best_own_, plan)) consider(std::move(*one), plan);
    }
    // The weights of these layers may be worth arriving too.
    const ArrivalPlan more = with_layers_of(others);
    if (more.layers().size() == plan.layers().size()) return;
    if (auto tried = with({}, best_own_, more)) consider(std::move(*tried), more);
  }

  /// Returns the best plan plus the layers with these workloads.
  ArrivalPlan with_layers_of(const Schedules& workloads) const {
    ArrivalPlan plan = plan_of(kCuts[0].size);
    std::map<int, int> blocks;  // by step
    for (const ArrivingLayer& layer : best_plan_->layers()) blocks[layer.step] = layer.blocks;
    plan.keep([&](const ArrivingLayer& layer) {
      return blocks.contains(layer.step) || workloads.contains(to_text(op_of(layer).workload));
    });
    for (ArrivingLayer& layer : plan.layers())
      if (const auto known = blocks.find(layer.step); known != blocks.end())
        plan.cut(layer, known->second);
    return plan;
  }

  /// Returns the schedules of workloads whose layers took fewer cycles than in the best network.
  Schedules those_that_gained(const Schedules& others, const RunReport& ran) const {
    const auto now = costs_of(ran), before = costs_of(best_->ran);
    std::map<std::string, int64_t> gains;
    for (size_t step = 0; step < graph_.ops.size(); ++step) {
      const auto* op = std::get_if<KernelOp>(&graph_.ops[step]);
      const int index = graph_.graph.operators[step].index;
      if (op != nullptr && now.contains(index) && before.contains(index))
        gains[to_text(op->workload)] += static_cast<int64_t>(before.at(index).cycles) -
                                        static_cast<int64_t>(now.at(index).cycles);
    }
    Schedules gained;
    for (const auto& [text, schedule] : others)
      if (gains[text] > 0) gained[text] = schedule;
    return gained;
  }

  std::optional<GivenSchedule> chosen(const std::string& text, const Schedules& own) const {
    for (const Schedules* known : {&own, &of_layers_})
      if (const auto found = known->find(text); found != known->end()) return found->second;
    return std::nullopt;
  }

  Result<Tried> attempt(const ArrivalPlan& plan) const {
    NetworkOptions arriving = options_;
    arriving.arrivals = plan.arrivals();
    const Device& device = deployment_.device;
    const MemoryLimits& limits = deployment_.limits;
    TT_TRY_ASSIGN(GeneratedNetwork network, generate_with_own(arriving));
    if (limits.arena_bytes && network.arena_bytes > *limits.arena_bytes)
      return Error(ErrorCode::kFailed, "its arena is larger than --arena allows");
    TT_TRY(check_arena(deployment_, network));
    const FastBudget budget =
        fast_budget(device, network.arena_bytes, limits, ran_.footprint.stack_bytes, 1);
    TT_TRY(place_in_fast_memory(deployment_.model.state().graph, device, budget, network));
    TT_TRY_ASSIGN(RunReport report, try_out(deployment_, network));
    if (excess(deployment_, report.footprint) > 0) return exceeded(deployment_, report.footprint);
    return Tried{std::move(network), std::move(report)};
  }

  /// Calls attempt(), removing the largest layers from the plan until the RAM is enough.
  Result<Tried> attempt_some(ArrivalPlan& plan) const {
    Result<Tried> tried = attempt(plan);
    while (!tried && tried.error().code() == ErrorCode::kFailed && plan.layers().size() > 1) {
      plan.drop_largest();
      tried = attempt(plan);
    }
    return tried;
  }

  void consider(Tried tried, const ArrivalPlan& plan) {
    if (tried.ran.footprint.cycles >= fewest_) return;
    fewest_ = tried.ran.footprint.cycles;
    best_ = std::move(tried);
    best_plan_.emplace(plan);
    best_own_ = own_;
  }

  const Deployment& deployment_;
  const NetworkOptions& options_;
  const GeneratedNetwork& alone_;
  const RunReport& ran_;
  const LaidOutGraph graph_;
  const LayerWorkloads workloads_;
  const Schedules of_layers_;
  Schedules of_lean_layers_;
  Schedules own_;                  ///< of the present attempt; take precedence over of_layers_
  std::map<int, Choice> choices_;  ///< by step
  uint64_t fewest_;                ///< cycles of the best network so far
  std::optional<Tried> best_;
  std::optional<ArrivalPlan> best_plan_;
  Schedules best_own_;
  std::string why_ = "none that layers wait for is in flash";
};

}  // namespace

Proposal with_arrivals(NetworkSearch& search) {
  const Deployment& deployment = search.deployment;
  if (!deployment.arrival || !search.best) return {};
  if (!search.best->network.strips.empty())
    return NotProposed{"layers run in strips, for the arena's sake"};
  if (has_control_flow(deployment.model.state().graph))
    return NotProposed{"the network has IF or WHILE"};
  const Status ran = run_once(deployment, *search.best);
  if (!ran && ran.error().code() != ErrorCode::kFailed) return NotProposed{ran.error().message()};
  if (!ran) return ran.error();
  const auto& [alone, without] = *search.best;
  NetworkOptions arriving = search.options;
  arriving.splits = alone.splits;
  ArrivalSearch arrivals(deployment, arriving, alone, *without);
  std::optional<Candidate> fastest = arrivals.fastest();
  if (!fastest) return NotProposed{arrivals.why()};
  return std::move(*fastest);
}

}  // namespace tinytune
