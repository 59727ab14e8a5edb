#include "deploy/selection/arena_limit.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codegen/kernels/build_cache.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {

Status require_positive(const MemoryLimits& limits) {
  const std::pair<const char*, std::optional<uint64_t>> all[] = {
      {"RAM", limits.ram_bytes}, {"the arena", limits.arena_bytes}, {"flash", limits.flash_bytes}};
  for (const auto& [what, bytes] : all)
    if (bytes == 0)
      return Error(ErrorCode::kInvalidInput,
                   std::string("the limit of ") + what + " must be above 0 bytes");
  return ok_status();
}

ArenaAllowance arena_allowance(const MemoryLimits& limits, uint64_t stack_bytes) {
  const auto allows = [](const char* option, uint64_t bytes) {
    return std::string(option) + " allows " + std::to_string(bytes);
  };
  ArenaAllowance allowance;
  if (limits.arena_bytes) {
    allowance = {limits.arena_bytes, allows("--arena", *limits.arena_bytes)};
  }
  if (!limits.ram_bytes) return allowance;
  const uint64_t left = *limits.ram_bytes - std::min(*limits.ram_bytes, stack_bytes);
  if (allowance.bytes && *allowance.bytes <= left) return allowance;
  allowance = {left, allows("--ram", *limits.ram_bytes)};
  if (stack_bytes > 0)
    allowance.says += ", " + std::to_string(stack_bytes) + " of them for the stack";
  return allowance;
}

uint64_t usual_arena(uint64_t lower_bound) {
  return lower_bound + std::max<uint64_t>(lower_bound / 4, 4096);
}

uint64_t arena_limit(const NetworkMemory& memory, const Device& device,
                     std::optional<uint64_t> asked, uint64_t least) {
  const uint64_t device_has = device.memory(device.data_memory).size_bytes;
  if (asked) return std::min(*asked, std::max(device_has, least));
  return std::max(least, std::min(usual_arena(memory.lower_bound), device_has));
}

uint64_t least_arena(const NetworkMemory& memory, const Device& device, KnownSpaces& spaces) {
  std::vector<uint32_t> least;
  std::map<std::string, uint32_t> known;  // by workload
  for (const NetworkMemory::Layer& layer : memory.layers) {
    const Workload& workload = layer.op.workload;
    const auto [at, is_new] = known.try_emplace(to_text(workload), 0);
    if (is_new) at->second = least_scratch_in(*spaces.of(workload, device), workload);
    least.push_back(at->second);
  }
  return memory.arena_bytes(least);
}

uint64_t arena_limit(const IntegerNetwork& network, const Device& device,
                     const NetworkOptions& options, std::optional<uint64_t> asked) {
  const NetworkMemory memory = network_memory(network, options);
  KnownSpaces none;
  KnownSpaces& spaces = options.builds ? options.builds->spaces() : none;
  return arena_limit(memory, device, asked, least_arena(memory, device, spaces));
}

}  // namespace tinytune
