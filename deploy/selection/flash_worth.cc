#include "deploy/selection/flash_worth.h"

#include <cstdint>

namespace tinytune {

double worth_of_flash_byte(const NetworkMemory& memory, const std::vector<LayerGroup>& groups,
                           const Records& records) {
  constexpr double kWorthOfBytes = 1.0 / 16;
  uint64_t cycles = 0, bytes = 0;
  for (const LayerGroup& group : groups) {
    const Measurement* best = records.best(group.workload);
    if (best == nullptr) continue;
    bytes += best->code.code_bytes;
    for (const size_t layer : group.layers) {
      cycles += *best->median_cycles() * static_cast<uint64_t>(memory.layers[layer].calls);
      if (!memory.layers[layer].shares_constants) bytes += best->code.constant_bytes;
    }
  }
  if (bytes == 0) return 0;
  return kWorthOfBytes * static_cast<double>(cycles) / static_cast<double>(bytes);
}

}  // namespace tinytune
