#include "deploy/arena_limit.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "deploy/lean_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {

uint64_t arena_limit(const NetworkMemory& memory, const Device& device,
                     std::optional<uint64_t> asked, uint64_t least) {
  const uint64_t device_has = device.memory(device.data_memory).size_bytes;
  if (asked) return std::min(*asked, std::max(device_has, least));
  const uint64_t near_bound = uint64_t{memory.lower_bound} + memory.lower_bound / 20;
  return std::max(least, std::min(near_bound, device_has));
}

uint64_t ram_limit(const IntegerNetwork& network, const Device& device,
                   const NetworkOptions& options, std::optional<uint64_t> asked) {
  const NetworkMemory memory = network_memory(network, options);
  std::vector<uint32_t> least;
  std::map<std::string, uint32_t> known;  // by workload
  for (const NetworkMemory::Layer& layer : memory.layers) {
    const Workload& workload = layer.op.workload;
    const auto [at, is_new] = known.try_emplace(to_text(workload), 0);
    if (is_new) at->second = least_scratch_in(space_of(workload, device), workload);
    least.push_back(at->second);
  }
  return arena_limit(memory, device, asked, memory.arena_bytes(least));
}

}  // namespace tinytune
