#include "codegen/networks/carriers.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "codegen/networks/layout.h"

namespace tinytune {

void name_carriers_of_aliases(const Graph& graph, const std::vector<bool>& is_alias,
                              std::span<GeneratedLayer> layers) {
  std::vector<std::optional<int>> writer_of(graph.tensors.size());
  for (size_t step = 0; step < graph.operators.size(); ++step) {
    const Operator& op = graph.operators[step];
    const bool renames = is_alias[step] || op.index == kTransformIndex;
    const auto writer = renames ? writer_of[static_cast<size_t>(op.inputs[0])] : op.index;
    if (is_alias[step]) layers[step].fused_into = writer;
    for (const int output : op.outputs) writer_of[static_cast<size_t>(output)] = writer;
  }
}

void settle_carriers(std::span<GeneratedLayer> layers) {
  std::unordered_map<int, GeneratedLayer*> layer_of;
  for (GeneratedLayer& layer : layers) layer_of.try_emplace(layer.index, &layer);
  for (GeneratedLayer& layer : layers) {
    std::vector<GeneratedLayer*> path = {&layer};
    while (path.back()->fused_into) {
      const auto next = layer_of.find(*path.back()->fused_into);
      if (next == layer_of.end() || !next->second->fused_into) break;
      path.push_back(next->second);
    }
    for (GeneratedLayer* fused : path) fused->fused_into = path.back()->fused_into;
  }
}

void list_absorbed(const IntegerNetwork& network, std::vector<GeneratedLayer>& layers) {
  for (const AbsorbedOperator& op : network.absorbed) {
    GeneratedLayer layer;
    layer.index = op.index;
    layer.op = std::string(name_of(op.kind));
    layer.fused_into = op.into;
    layer.macs = network.model_macs[static_cast<size_t>(op.index)];
    layers.push_back(std::move(layer));
  }
  settle_carriers(layers);
}

}  // namespace tinytune
