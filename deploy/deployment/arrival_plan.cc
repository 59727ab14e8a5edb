#include "deploy/deployment/arrival_plan.h"

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

}  // namespace

std::map<int, LayerCost> costs_of(const RunReport& report) {
  std::map<int, LayerCost> costs;
  for (const LayerCost& layer : report.layers) costs[layer.index] = layer;
  return costs;
}

ArrivalPlan::ArrivalPlan(const LaidOutGraph& graph, const GeneratedNetwork& network,
                         const RunReport& ran, const ArrivalWay& way, const BlockSize& size)
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
    cut(layers_.back(), blocks_for(*op, size));
  }
}

void ArrivalPlan::cut(ArrivingLayer& layer, int blocks) {
  bytes_[layer.step] =
      bytes_[layer.step] * static_cast<size_t>(layer.blocks) / static_cast<size_t>(blocks);
  layer.blocks = blocks;
}

Arrivals ArrivalPlan::arrivals() const {
  Arrivals all{way_, layers_};
  int earliest = first_step();
  bool follows = false;  // an arriving layer
  for (ArrivingLayer& layer : all.layers) {
    const double load = static_cast<double>(bytes_.at(layer.step)) * way_.piece_cycles /
                        static_cast<double>(way_.piece_bytes);
    double hidden = 0;
    layer.start_step = layer.step;
    for (int step = layer.step - 1; step >= earliest && hidden < load; --step) {
      if (!runs_[static_cast<size_t>(step)]) continue;
      // Others run from flash.
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

int ArrivalPlan::first_step() const {
  return static_cast<int>(std::find(runs_.begin(), runs_.end(), true) - runs_.begin());
}

// An arriving layer's last block alone.
double ArrivalPlan::computing_cycles(int step) const {
  const auto cost = costs_.find(indices_[static_cast<size_t>(step)]);
  if (cost == costs_.end()) return 0;
  const auto cycles = static_cast<double>(cost->second.cycles - cost->second.read_wait_cycles);
  for (const ArrivingLayer& layer : layers_)
    if (layer.step == step) return cycles / layer.blocks;
  return cycles;
}

}  // namespace tinytune
