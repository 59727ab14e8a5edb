#include "deploy/strip_plan/fallback.h"

#include <algorithm>

#include "codegen/networks/network_memory.h"
#include "deploy/selection/fitting.h"

namespace tinytune {

ArenaAllowance room_for_arena(const MemoryLimits& limits, const Device& device) {
  const MemoryRegion& ram = device.memory(device.data_memory);
  ArenaAllowance allowance = arena_allowance(limits);
  if (allowance.bytes && *allowance.bytes <= ram.size_bytes) return allowance;
  return {ram.size_bytes,
          ram.name + " of " + device.name + " has " + std::to_string(ram.size_bytes) + " bytes"};
}

const StripOrders& StripFallback::search() const {
  if (!search_) search_.emplace(network_, options_, device_);
  return *search_;
}

std::optional<StripFallback::Fitting> StripFallback::with(const StripPlan& plan,
                                                          uint64_t arena_bytes) const {
  NetworkOptions options = options_;
  plan.apply_to(options);
  KernelLimits limits;
  limits.arena_bytes = arena_bytes;
  const auto takes = arena_within(network_, device_, records_, limits, options);
  if (!takes || *takes > arena_bytes) return std::nullopt;
  return Fitting{plan, *takes};
}

std::optional<StripFallback::Fitting> StripFallback::whole_within(uint64_t arena_bytes) const {
  if (network_memory(network_, options_).lower_bound > arena_bytes) return std::nullopt;
  return with({}, arena_bytes);
}

std::optional<StripFallback::Fitting> StripFallback::within(uint64_t arena_bytes) const {
  if (auto whole = whole_within(arena_bytes)) return whole;
  if (!network_.may_run_in_strips) return std::nullopt;
  std::optional<StripPlan> last;
  for (const uint64_t free : kLeftFree) {
    const auto plan = search().within(arena_bytes - std::min(arena_bytes, free));
    if (!plan) break;
    if (plan == last) continue;
    if (auto fits = with(*plan, arena_bytes)) return fits;
    last = plan;
  }
  return std::nullopt;
}

// Bisects the limit. A plan's arena is achievable, so each plan that fits lowers the upper bound to
// its own arena.
std::optional<StripFallback::Fitting> StripFallback::smallest() const {
  const uint64_t whole = network_memory(network_, options_).lower_bound;
  uint64_t limit = network_.may_run_in_strips ? search().smallest_arena() : whole;
  const uint64_t most = std::max<uint64_t>(4 * whole, 64 * 1024);
  uint64_t too_small = 0;
  std::optional<Fitting> best = within(limit);
  while (!best && limit < most) {
    too_small = limit;
    limit += std::max<uint64_t>(limit / 16, kArenaAlignment);
    best = within(limit);
  }
  while (best && too_small + kArenaAlignment < best->arena_bytes) {
    const uint64_t middle = too_small + (best->arena_bytes - too_small) / 2;
    if (auto fits = within(middle))
      best = std::move(fits);
    else
      too_small = middle;
  }
  return best;
}

Error StripFallback::refused(const ArenaAllowance& allowance) const {
  const std::string says = "the network does not fit: " + allowance.says;
  const auto least = smallest();
  if (!least) return Error(ErrorCode::kFailed, says);
  return Error(ErrorCode::kFailed, says + "; the smallest achievable is an arena of " +
                                       std::to_string(least->arena_bytes) + " bytes" +
                                       (least->plan.groups.empty() ? "" : ", in strips"));
}

}  // namespace tinytune
