#include "deploy/selection/flash_worth.h"

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

uint64_t first_cycles(const Records& records, const std::string& workload) {
  for (const Measurement* m : records.of(workload))
    if (m->outcome == Outcome::kOk) return *m->median_cycles();
  return 0;
}

double KernelPrice::operator()(const KernelOption& option) const {
  constexpr double kMostFlash = 1e12;  // bytes
  const auto cycles = static_cast<double>(option.cycles);
  const bool is_slow = cycles > most_cycles;
  return cycles + of_byte * (is_slow ? kMostFlash : static_cast<double>(option.flash_bytes));
}

}  // namespace tinytune
