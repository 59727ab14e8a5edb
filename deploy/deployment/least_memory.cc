#include "deploy/deployment/least_memory.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "codegen/networks/network_memory.h"
#include "deploy/deployment/kernel_moves.h"
#include "deploy/deployment/slow_work.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/arena_limit.h"
#include "deploy/selection/device_memory.h"
#include "deploy/selection/fitting.h"

namespace tinytune {
namespace {

/// Sizes of simulated memories are multiples of this.
constexpr uint64_t kPage = 4096;

uint64_t without(uint64_t bytes, uint64_t taken) { return bytes - std::min(bytes, taken); }

struct Least {
  Candidate candidate;
  Footprint takes;
  StripPlan plan;
};

// Generates the network in an arena of `arena_bytes`, with nothing copied to RAM. The device's
// memory is enlarged if necessary, so that its size does not affect the result.
Result<Least> in_arena(const Deployment& deployment, const StripPlan& plan, uint64_t arena_bytes,
                       const NetworkOptions& options) {
  const Device& device = deployment.device;
  NetworkOptions planned = options;
  plan.apply_to(planned);
  const uint64_t size = device.memory(device.data_memory).size_bytes;
  const uint64_t room = (arena_bytes + kBesideArena + kPage - 1) / kPage * kPage;
  const Device roomy = with_data_memory(device, std::max(size, room));
  const Deployment there = deployment.with(roomy, deployment.records);
  const KernelLimits kernels{.arena_bytes = arena_bytes,
                             .flash_bytes = deployment.limits.flash_bytes};
  TT_TRY_ASSIGN(GeneratedNetwork network, choose_kernels(there, planned, kernels, {}));
  TT_TRY_ASSIGN(const Footprint takes, footprint_of(there, network));
  return Least{{std::move(network)}, takes, plan};
}

// Also tries other plans and larger arenas: they may save more stack than they add to the arena.
Result<Least> least_in_strips(const Deployment& deployment, const StripFallback& fallback,
                              const NetworkOptions& options) {
  constexpr size_t kMostBuilt = 4;
  constexpr uint64_t kLeastStack = 64;
  const auto smallest = fallback.smallest();
  if (!smallest) return Error(ErrorCode::kFailed, "no arena is enough");
  TT_TRY_ASSIGN(Least best, in_arena(deployment, smallest->plan, smallest->arena_bytes, options));
  const auto limit = [&](const Footprint& takes) { return limit_for(deployment, takes); };
  std::set<StripPlan> plans = {smallest->plan};
  for (const uint64_t free : StripFallback::kLeftFree)
    if (deployment.model.state().network.may_run_in_strips)
      if (auto plan = fallback.search().within(without(limit(best.takes), free)))
        plans.insert(std::move(*plan));
  SlowWork work(deployment.sink);
  std::set<std::pair<StripPlan, uint64_t>> built = {{smallest->plan, smallest->arena_bytes}};
  for (uint64_t arena = smallest->arena_bytes;
       built.size() < kMostBuilt && arena + kLeastStack < limit(best.takes);
       arena += kArenaAlignment)
    for (const StripPlan& plan : plans) {
      const auto fits = fallback.with(plan, arena);
      if (!fits || built.size() == kMostBuilt || !built.emplace(plan, fits->arena_bytes).second)
        continue;
      auto other = in_arena(deployment, plan, fits->arena_bytes, options);
      if (other && limit(other->takes) < limit(best.takes)) best = std::move(*other);
      work.step([&] {
        return "looking for the smallest limit: " + std::to_string(limit(best.takes)) +
               " bytes are enough so far";
      });
    }
  return best;
}

// Returns a network that runs layer by layer in less memory than `least`, or `least`: a search
// within limits tries layers before strips, so it would accept such a smaller limit.
Result<Least> whole_below(const Deployment& deployment, Least least,
                          const NetworkOptions& options) {
  constexpr int kTimes = 8;
  const auto& [model, device, records, limits] =
      std::tie(deployment.model, deployment.device, deployment.records, deployment.limits);
  const MessageSink silent;
  const uint64_t bound = network_memory(model.state().network, options).lower_bound;
  for (int i = 0; i < kTimes; ++i) {
    uint64_t bytes = without(limit_for(deployment, least.takes), kArenaAlignment);
    if (!limits.ram_bytes) bytes = bytes / kPage * kPage;
    if (bound > bytes) break;
    MemoryLimits lower = limits;
    if (limits.ram_bytes) lower.ram_bytes = bytes;
    const Device smaller = limits.ram_bytes ? device : with_data_memory(device, bytes);
    const Deployment other{model, smaller, records, lower, silent, deployment.input};
    auto whole = fastest_kernels(other, options);
    if (!whole) break;
    TT_TRY(run_once(other, *whole));
    const Footprint takes = whole->ran->footprint;
    if (limit_for(deployment, takes) > bytes) break;
    least = {{std::move(whole->network)}, takes, {}};
  }
  return least;
}

Result<Least> smallest_network(const Deployment& deployment, const StripFallback& fallback,
                               const NetworkOptions& options) {
  Result<Least> smallest = least_in_strips(deployment, fallback, options);
  if (!smallest || excess(deployment, smallest->takes) == 0) return smallest;
  return whole_below(deployment, std::move(*smallest), options);
}

Error refused(const Deployment& deployment, const Least& least) {
  const Device& device = deployment.device;
  const MemoryRegion& data = device.memory(device.data_memory);
  const uint64_t in_data = in_data_memory(least.takes, device);
  const std::string says =
      in_data > data.size_bytes
          ? data.name + " of " + device.name + " has " + std::to_string(data.size_bytes) +
                " bytes; the smallest achievable is " + std::to_string(in_data) + " bytes of it"
          : "--ram allows " + std::to_string(deployment.limits.ram_bytes.value_or(0)) +
                "; the smallest achievable is --ram " + std::to_string(least.takes.ram_bytes());
  return Error(ErrorCode::kFailed, "the network does not fit: " + says +
                                       (least.plan.groups.empty() ? "" : ", in strips"));
}

}  // namespace

std::optional<Result<Candidate>> smallest_within(const Deployment& deployment,
                                                 const StripFallback& fallback,
                                                 const NetworkOptions& options) {
  const ArenaAllowance room = room_for_arena(deployment.limits, deployment.device);
  const bool limits_arena = deployment.limits.arena_bytes == room.bytes;
  const bool arena_fits = fallback.within(*room.bytes).has_value();
  if (!arena_fits && limits_arena) return fallback.refused(room);
  Result<Least> smallest = smallest_network(deployment, fallback, options);
  if (!smallest && arena_fits) return std::nullopt;
  if (!smallest) return fallback.refused(room);
  if (excess(deployment, smallest->takes) > 0) return refused(deployment, *smallest);
  return std::move(smallest->candidate);
}

Result<ArenaPlan> plan_arena(const Deployment& deployment, const NetworkOptions& options) {
  constexpr int kRounds = 4;
  const Device roomy = with_data_memory(deployment.device, kMuchRam);
  const StripFallback fallback(deployment.model.state().network, roomy, deployment.records,
                               options);
  const ArenaAllowance room = room_for_arena(deployment.limits, deployment.device);
  uint64_t arena = *room.bytes;
  for (int round = 0; round < kRounds; ++round) {
    const auto fits = fallback.within(arena);
    if (!fits) break;
    const ArenaPlan plan{fits->plan, arena};
    if (!is_close(deployment, fits->arena_bytes)) return plan;
    const Result<Least> built = in_arena(deployment, fits->plan, fits->arena_bytes, options);
    if (!built) return plan;  // cannot be checked here
    const uint64_t too_much = excess(deployment, built->takes);
    if (too_much == 0) return plan;
    arena = without(fits->arena_bytes, too_much);
  }
  if (deployment.limits.arena_bytes == room.bytes && !fallback.within(*room.bytes))
    return fallback.refused(room);
  const Result<Least> smallest = smallest_network(deployment, fallback, options);
  if (!smallest) return fallback.refused(room);
  if (excess(deployment, smallest->takes) > 0) return refused(deployment, *smallest);
  return ArenaPlan{smallest->plan, smallest->takes.arena_bytes};
}

Result<LeastNeed> least_need(const Deployment& deployment, const NetworkOptions& options) {
  const Device roomy = with_data_memory(deployment.device, kMuchRam);
  const StripFallback fallback(deployment.model.state().network, roomy, deployment.records,
                               options);
  const auto arena = fallback.smallest();
  if (!arena) return Error(ErrorCode::kFailed, "no arena is enough");
  const Result<Least> built = smallest_network(deployment, fallback, options);
  const Footprint takes = built ? built->takes : Footprint{.arena_bytes = arena->arena_bytes};
  return LeastNeed{takes, excess(deployment, takes)};
}

Result<Footprint> least_flash(const Deployment& deployment, const NetworkOptions& options) {
  const auto& [device, limits] = std::tie(deployment.device, deployment.limits);
  const IntegerNetwork& executed = deployment.model.state().network;
  if (network_memory(executed, options).lower_bound > *room_for_arena(limits, device).bytes)
    return Error(ErrorCode::kFailed, "tensors do not fit the RAM");
  const ArenaAllowance arena = arena_allowance(limits);  // as in the first round of beside_stack()
  const KernelLimits kernels{.arena_bytes = arena.bytes, .arena_says = arena.says};
  TT_TRY_ASSIGN(const GeneratedNetwork network,
                generate_smallest(executed, device, deployment.records, kernels, options));
  TT_TRY_ASSIGN(const Footprint takes, footprint_of(deployment, network));
  if (excess(deployment, takes) > 0) return exceeded(deployment, takes);
  return takes;
}

}  // namespace tinytune
