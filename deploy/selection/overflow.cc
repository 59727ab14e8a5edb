#include "deploy/selection/overflow.h"

#include <algorithm>
#include <map>
#include <string>

namespace tinytune {
namespace {

uint64_t constant_bytes(const GeneratedNetwork& network, const std::string& function) {
  uint64_t bytes = 0;
  for (const PlaceablePart& part : network.placeable)
    if (!part.code &&
        std::find(part.layers.begin(), part.layers.end(), function) != part.layers.end())
      bytes += part.bytes;
  return bytes;
}

}  // namespace

FlashWaits overflow_costs(const NetworkMemory& memory, const GeneratedNetwork& network,
                          const RunReport& ran, const Device& device, const Records& records) {
  std::map<int, const LayerCost*> costs;  // by operator of the model
  for (const LayerCost& cost : ran.layers) costs[cost.index] = &cost;
  std::map<int, std::string> workloads;
  for (const NetworkMemory::Layer& layer : memory.layers)
    workloads[layer.index] = to_text(layer.op.workload);
  FlashWaits waits;
  for (const GeneratedLayer& layer : network.layers) {
    const auto cost = costs.find(layer.index);
    const auto workload = workloads.find(layer.index);
    if (!layer.schedule || cost == costs.end() || workload == workloads.end()) continue;
    const std::string& home = cost->second->weights_memory;
    if (home.empty() || home == device.fast_rodata_memories.front()) continue;
    const Measurement* record = records.find(workload->second, to_text(*layer.schedule));
    const uint64_t bytes = constant_bytes(network, layer.symbol);
    if (record == nullptr || !record->median_cycles() || bytes == 0) continue;
    const uint64_t promised = *record->median_cycles(), took = cost->second->cycles;
    if (took > promised)
      waits[layer.index] = static_cast<double>(took - promised) / static_cast<double>(bytes);
  }
  return waits;
}

}  // namespace tinytune
