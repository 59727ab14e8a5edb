#include "deploy/deployment/arrival_plan.h"

#include <optional>
#include <string>
#include <variant>

#include "codegen/networks/arriving_layers.h"

namespace tinytune {
namespace {

int blocks_for(const KernelOp& op, const BlockSize& size) {
  const auto bytes = static_cast<int64_t>(op.data.weights.size());
  int most = 1;
  const int limit = op.workload.out_c / size.least_channels;
  for (int blocks = 1; blocks <= limit && bytes / most > size.bytes; ++blocks)
    if (has_blocks(op.workload, blocks)) most = blocks;
  return most;
}

/// Returns the bytes of constants that these functions use; `only_copied`: without those left in
/// flash.
size_t constant_bytes(const GeneratedNetwork& network, const std::vector<std::string>& functions,
                      bool only_copied) {
  size_t bytes = 0;
  for (size_t i = 0; i < network.placeable.size(); ++i) {
    const PlaceablePart& part = network.placeable[i];
    if (part.code || (only_copied && network.homes[i] == 0)) continue;
    const auto uses = [&](const std::string& function) {
      return std::find(part.layers.begin(), part.layers.end(), function) != part.layers.end();
    };
    if (std::any_of(functions.begin(), functions.end(), uses)) bytes += part.bytes;
  }
  return bytes;
}

}  // namespace

std::map<int, LayerCost> costs_of(const RunReport& report) {
  std::map<int, LayerCost> costs;
  for (const LayerCost& layer : report.layers) costs[layer.index] = layer;
  return costs;
}

RunReport without_waits(const RunReport& one, const RunReport& other) {
  const auto computing = [](const LayerCost& cost) {
    return cost.cycles - std::min(cost.cycles, cost.fetch_wait_cycles + cost.read_wait_cycles);
  };
  RunReport least = one;
  const auto others = costs_of(other);
  for (LayerCost& cost : least.layers)
    if (const auto found = others.find(cost.index);
        found != others.end() && computing(found->second) < computing(cost))
      cost = found->second;
  return least;
}

ArrivalPlan::ArrivalPlan(const LaidOutGraph& graph, const GeneratedNetwork& network,
                         const RunReport& ran, const ArrivalWay& way)
    : way_(way), costs_(costs_of(ran)) {
  for (size_t step = 0; step < graph.ops.size(); ++step) {
    indices_.push_back(graph.graph.operators[step].index);
    runs_.push_back(!network.layers[step].symbol.empty());
    const KernelOp* op = arriving_kernel(graph.ops[step]);
    if (op == nullptr || !runs_.back()) continue;
    layers_.push_back({static_cast<int>(step), 1, 0});
    bytes_[static_cast<int>(step)] = op->data.weights.size();
  }
}

ArrivalPlan::ArrivalPlan(const LaidOutGraph& graph, const GeneratedNetwork& network,
                         const RunReport& ran, const ArrivalWay& way, const BlockSize& size)
    : ArrivalPlan(graph, network, ran, way) {
  const auto layer_of = [&](const ArrivingLayer& layer) -> const GeneratedLayer& {
    return network.layers[static_cast<size_t>(layer.step)];
  };
  keep([&](const ArrivingLayer& layer) {
    return costs_[index_of(layer)].read_wait_cycles > 0 &&
           constant_bytes(network, layer_of(layer).functions(), true) == 0;
  });
  for (ArrivingLayer& layer : layers_)
    if (layer_of(layer).other_symbol.empty())
      cut(layer, blocks_for(std::get<KernelOp>(graph.ops[static_cast<size_t>(layer.step)]), size));
}

ArrivalPlan ArrivalPlan::of_all(const LaidOutGraph& graph, const GeneratedNetwork& network,
                                const RunReport& ran, const ArrivalWay& way) {
  ArrivalPlan plan(graph, network, ran, way);
  for (auto& [step, bytes] : plan.bytes_) {
    const std::vector<std::string> functions =
        network.layers[static_cast<size_t>(step)].functions();
    bytes = std::max(bytes, constant_bytes(network, functions, false));
  }
  return plan;
}

void ArrivalPlan::cut(ArrivingLayer& layer, int blocks) {
  bytes_[layer.step] =
      bytes_[layer.step] * static_cast<size_t>(layer.blocks) / static_cast<size_t>(blocks);
  layer.blocks = blocks;
}

double ArrivalPlan::load_cycles(const ArrivingLayer& layer) const {
  return static_cast<double>(bytes_.at(layer.step)) * way_.piece_cycles /
         static_cast<double>(way_.piece_bytes);
}

Arrivals ArrivalPlan::arrivals() const {
  Arrivals all{way_, layers_};
  int earliest = first_step();
  bool follows = false;  // whether an arriving layer precedes
  for (ArrivingLayer& layer : all.layers) {
    const double load = load_cycles(layer);
    double hidden = 0;
    layer.start_step = layer.step;
    for (int step = layer.step - 1; step >= earliest && hidden < load; --step) {
      if (!runs_[static_cast<size_t>(step)]) continue;
      // All layers that do not arrive run from flash.
      if (way_.locks_flash && (!follows || step != earliest)) break;
      layer.start_step = step;
      hidden += computing_cycles(step);
    }
    earliest = layer.step;
    follows = true;
  }
  return all;
}

void ArrivalPlan::drop_largest() {
  layers_.erase(std::max_element(layers_.begin(), layers_.end(), [&](const auto& a, const auto& b) {
    return bytes_.at(a.step) < bytes_.at(b.step);
  }));
}

// Dynamic programming over the last kept layer: the best choice that ends with a layer extends the
// best choice that ends with an earlier layer, or none. Its transfer starts at that layer.
void ArrivalPlan::keep_hidden(double cycles_per_byte) {
  std::vector<double> until(indices_.size() + 1, 0);  // cycles that compute before each step
  for (size_t step = 0; step < indices_.size(); ++step)
    until[step + 1] = until[step] + computing_cycles(static_cast<int>(step));
  struct Choice {
    double worth = 0;
    std::optional<size_t> before = {};
  };
  std::vector<Choice> choices;  // by layer
  std::optional<size_t> best;
  for (size_t at = 0; at < layers_.size(); ++at) {
    const double load = load_cycles(layers_[at]);
    const double there = until[static_cast<size_t>(layers_[at].step)];
    const auto late = [&](double since) { return std::max(0.0, load - (there - since)); };
    Choice choice{-late(0)};
    for (size_t before = 0; before < at; ++before) {
      const double since = until[static_cast<size_t>(layers_[before].step)];
      if (const double worth = choices[before].worth - late(since); worth > choice.worth)
        choice = {worth, before};
    }
    choice.worth += static_cast<double>(bytes_.at(layers_[at].step)) * cycles_per_byte;
    if (choice.worth > (best ? choices[*best].worth : 0)) best = at;
    choices.push_back(choice);
  }
  std::vector<bool> kept(layers_.size());
  for (; best; best = choices[*best].before) kept[*best] = true;
  size_t at = 0;
  keep([&](const ArrivingLayer&) { return kept[at++]; });
}

int ArrivalPlan::first_step() const {
  return static_cast<int>(std::find(runs_.begin(), runs_.end(), true) - runs_.begin());
}

// Returns the cycles of a step without read waits; of an arriving layer only those of its last
// block. If cores share a layer, its waits are the sum of both cores' waits, and each core also
// waits for the other's.
double ArrivalPlan::computing_cycles(int step) const {
  const auto cost = costs_.find(indices_[static_cast<size_t>(step)]);
  if (cost == costs_.end()) return 0;
  const auto cycles = static_cast<double>(
      cost->second.cycles - std::min(cost->second.cycles, cost->second.read_wait_cycles));
  for (const ArrivingLayer& layer : layers_)
    if (layer.step == step) return cycles / layer.blocks;
  return cycles;
}

}  // namespace tinytune
