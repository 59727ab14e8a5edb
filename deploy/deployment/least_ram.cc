// Networks that do not fit as they were first made: in strips, or refused with the limit that would
// be enough.
//
// The arena is arithmetic (strip_plan/fallback.h). What lies beside it, data and stack, shows when
// a network is built and run, and hardly depends on the arena. So the smallest network is found by
// its arena, built once, and a few of somewhat larger arenas are built for less stack. Who allows
// less than that is refused before anything else is tried, so that the figure which is named is the
// smallest that works.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "codegen/networks/network_memory.h"
#include "deploy/deployment/deployment.h"
#include "deploy/deployment/slow_work.h"
#include "deploy/execution/network_simulation.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/arena_worth.h"
#include "deploy/selection/device_memory.h"
#include "deploy/selection/fast_memory.h"
#include "deploy/strip_plan/fallback.h"

namespace tinytune {
namespace {

constexpr uint64_t kMuchRam = 1u << 30;

/// More than what lies beside any arena that was seen.
constexpr uint64_t kBesideArena = 16 * 1024;

/// Simulated memories are multiples of it.
constexpr uint64_t kPage = 4096;

/// A library's own data is some words; the stack has a memory of its own.
constexpr uint64_t kDataBytes = 1024;

uint64_t without(uint64_t bytes, uint64_t taken) { return bytes - std::min(bytes, taken); }

}  // namespace

struct Deployment::Least {
  GeneratedNetwork network;
  Footprint takes;
  StripPlan plan;
};

uint64_t Deployment::excess(const Footprint& takes) const {
  const uint64_t size = device.memory(device.data_memory).size_bytes;
  const uint64_t in_data = without(in_data_memory(takes, device), size);
  return limits.ram_bytes ? std::max(in_data, without(takes.ram_bytes(), *limits.ram_bytes))
                          : in_data;
}

Error Deployment::exceeded(const Footprint& takes) const {
  const MemoryRegion& data = device.memory(device.data_memory);
  const uint64_t in_data = in_data_memory(takes, device);
  const bool by_device = in_data > data.size_bytes;
  const std::string there =
      by_device ? "of " + data.name + ", which has " : "of RAM, --ram allows ";
  return Error(ErrorCode::kFailed,
               "the network takes " + std::to_string(by_device ? in_data : takes.ram_bytes()) +
                   " bytes " + there +
                   std::to_string(by_device ? data.size_bytes : limits.ram_bytes.value_or(0)));
}

// Whether an arena is so large that what lies beside it decides.
bool Deployment::is_close(uint64_t arena_bytes) const {
  if (arena_bytes + kDataBytes > device.memory(device.data_memory).size_bytes) return true;
  return limits.ram_bytes && arena_bytes + kBesideArena > *limits.ram_bytes;
}

uint64_t Deployment::needs(const Footprint& takes) const {
  return limits.ram_bytes ? takes.ram_bytes() : in_data_memory(takes, device);
}

// Where nobody set a limit, a network may lack a template or flash, for which strips are no help.
bool Deployment::wants_strips(const NetworkOptions& options,
                              const Result<GeneratedNetwork>& whole) const {
  const IntegerNetwork& network = model.state().network;
  if (input != InputArrival::kWhole) return false;
  const std::optional<uint64_t> asked = arena_allowance(limits).bytes;
  if (whole) {
    // In strips tensors may leave the scratch that whole ones do not.
    constexpr double kNoticeable = 1.02;
    if (!asked || !network.may_run_in_strips) return false;
    const auto worth = arena_worth(network, device, records, *asked, options);
    return worth && *worth &&
           static_cast<double>((*worth)->cycles) >
               static_cast<double>((*worth)->fewest_cycles) * kNoticeable;
  }
  if (asked) return true;
  if (whole.error().code() != ErrorCode::kFailed) return false;
  const uint64_t room = without(*room_for_arena(limits, device).bytes, kDataBytes);
  return !StripFallback(network, device, records, options).whole_within(room);
}

// Nothing is copied to RAM. The size of the device's memory must not show in it.
Result<Deployment::Least> Deployment::lean(const StripPlan& plan, uint64_t arena_bytes,
                                           const NetworkOptions& options) const {
  NetworkOptions planned = options;
  plan.apply_to(planned);
  const uint64_t size = device.memory(device.data_memory).size_bytes;
  const uint64_t room = (arena_bytes + kBesideArena + kPage - 1) / kPage * kPage;
  const Device roomy = with_data_memory(device, std::max(size, room));
  const Deployment other{model, roomy, records, limits, sink, input};
  const KernelLimits kernels{.arena_bytes = arena_bytes, .flash_bytes = limits.flash_bytes};
  TT_TRY_ASSIGN(GeneratedNetwork network, other.choose_kernels(planned, kernels, {}));
  TT_TRY_ASSIGN(const Footprint takes, other.footprint(network));
  return Least{std::move(network), takes, plan};
}

// A device's memory for data does not hold the stack, which alone takes a run to know.
Result<Footprint> Deployment::footprint(const GeneratedNetwork& network) const {
  if (limits.ram_bytes) return measure(network);
  TT_TRY_ASSIGN(const BuiltNetwork built, build_library(network, device));
  return built.footprint;
}

// Another plan, or kernels with more scratch, may need less stack than they add to the arena.
Result<Deployment::Least> Deployment::least(const StripFallback& fallback,
                                            const NetworkOptions& options) const {
  constexpr size_t kMostBuilt = 4;
  constexpr uint64_t kLeastStack = 64;
  const auto smallest = fallback.smallest();
  if (!smallest) return Error(ErrorCode::kFailed, "no arena is enough");
  TT_TRY_ASSIGN(Least best, lean(smallest->plan, smallest->arena_bytes, options));
  std::set<StripPlan> plans = {smallest->plan};
  for (const uint64_t free : StripFallback::kLeftFree)
    if (model.state().network.may_run_in_strips)
      if (auto plan = fallback.search().within(without(needs(best.takes), free)))
        plans.insert(std::move(*plan));
  SlowWork work(sink);
  std::set<std::pair<StripPlan, uint64_t>> built = {{smallest->plan, smallest->arena_bytes}};
  for (uint64_t arena = smallest->arena_bytes;
       built.size() < kMostBuilt && arena + kLeastStack < needs(best.takes);
       arena += kArenaAlignment)
    for (const StripPlan& plan : plans) {
      const auto fits = fallback.with(plan, arena);
      if (!fits || built.size() == kMostBuilt || !built.emplace(plan, fits->arena_bytes).second)
        continue;
      auto other = lean(plan, fits->arena_bytes, options);
      if (other && needs(other->takes) < needs(best.takes)) best = std::move(*other);
      work.step([&] {
        return "looking for the smallest limit: " + std::to_string(needs(best.takes)) +
               " bytes are enough so far";
      });
    }
  return best;
}

// Layers by themselves are tried before strips are: what they can do with less than `least` is
// less.
Result<Deployment::Least> Deployment::whole_below(Least least,
                                                  const NetworkOptions& options) const {
  constexpr int kTimes = 8;
  const uint64_t bound = network_memory(model.state().network, options).lower_bound;
  for (int i = 0; i < kTimes; ++i) {
    uint64_t bytes = without(needs(least.takes), kArenaAlignment);
    if (!limits.ram_bytes) bytes = bytes / kPage * kPage;
    if (bound > bytes) break;
    MemoryLimits lower = limits;
    if (limits.ram_bytes) lower.ram_bytes = bytes;
    const Device smaller = limits.ram_bytes ? device : with_data_memory(device, bytes);
    const Deployment other{model, smaller, records, lower, {}, input};
    auto whole = other.within_ram(options);
    if (!whole) break;
    TT_TRY_ASSIGN(const Footprint takes, other.measure(*whole));
    if (needs(takes) > bytes) break;
    least = {std::move(*whole), takes, {}};
  }
  return least;
}

Result<Deployment::Least> Deployment::smallest(const StripFallback& fallback,
                                               const NetworkOptions& options) const {
  Result<Least> smallest = least(fallback, options);
  if (!smallest || excess(smallest->takes) == 0) return smallest;
  return whole_below(std::move(*smallest), options);
}

Result<Deployment::Need> Deployment::least_need(const NetworkOptions& options) const {
  const Device roomy = with_data_memory(device, kMuchRam);
  const StripFallback fallback(model.state().network, roomy, records, options);
  const auto arena = fallback.smallest();
  if (!arena) return Error(ErrorCode::kFailed, "no arena is enough");
  const Result<Least> built = smallest(fallback, options);
  const Footprint takes = built ? built->takes : Footprint{.arena_bytes = arena->arena_bytes};
  return Need{takes, excess(takes)};
}

Result<Footprint> Deployment::least_flash(const NetworkOptions& options) const {
  if (network_memory(model.state().network, options).lower_bound >
      *room_for_arena(limits, device).bytes)
    return Error(ErrorCode::kFailed, "tensors do not fit the RAM");
  const ArenaAllowance arena = arena_allowance(limits);  // as keep_ram() begins
  const KernelLimits kernels{.arena_bytes = arena.bytes, .arena_says = arena.says};
  TT_TRY_ASSIGN(const GeneratedNetwork network,
                generate_smallest(model.state().network, device, records, kernels, options));
  TT_TRY_ASSIGN(const Footprint takes, footprint(network));
  if (excess(takes) > 0) return exceeded(takes);
  return takes;
}

Error Deployment::refused(const Least& least) const {
  const MemoryRegion& data = device.memory(device.data_memory);
  const uint64_t in_data = in_data_memory(least.takes, device);
  const std::string says =
      in_data > data.size_bytes
          ? data.name + " of " + device.name + " has " + std::to_string(data.size_bytes) +
                " bytes; the smallest achievable is " + std::to_string(in_data) + " bytes of it"
          : "--ram allows " + std::to_string(limits.ram_bytes.value_or(0)) +
                "; the smallest achievable is --ram " + std::to_string(least.takes.ram_bytes());
  return Error(ErrorCode::kFailed, "the network does not fit: " + says +
                                       (least.plan.groups.empty() ? "" : ", in strips"));
}

// Groups are found by their tensors; how much is best left to kernels' scratch shows when networks
// run. `layer_by_layer` fits and is slow, or does not fit at all.
Result<GeneratedNetwork> Deployment::in_strips(const NetworkOptions& options,
                                               Result<GeneratedNetwork> layer_by_layer) const {
  const IntegerNetwork& network = model.state().network;
  const Device roomy = with_data_memory(device, kMuchRam);
  const StripFallback fallback(network, roomy, records, options);
  const ArenaAllowance room = room_for_arena(limits, device);
  const bool limits_arena = limits.arena_bytes == room.bytes;
  Result<GeneratedNetwork> best = std::move(layer_by_layer);
  // Keeps why it failed where something else than memory is wrong. Whether all is said.
  const auto use_least = [&] {
    const bool arena_fits = fallback.within(*room.bytes).has_value();
    Result<Least> smallest = Error(ErrorCode::kFailed, "not tried");
    if (arena_fits || !limits_arena) smallest = this->smallest(fallback, options);
    if (!smallest && arena_fits) return false;
    const bool fits = smallest && excess(smallest->takes) == 0;
    best = fits       ? Result<GeneratedNetwork>(std::move(smallest->network))
           : smallest ? refused(*smallest)
                      : fallback.refused(room);
    return !fits;
  };
  const uint64_t tensors = network.may_run_in_strips
                               ? fallback.search().smallest_arena()
                               : uint64_t{network_memory(network, options).lower_bound};
  const bool is_near = *room.bytes < tensors + kBesideArena;
  const bool is_first = !best && (is_near || !network.may_run_in_strips);
  if (is_first && use_least()) return best;
  if (!network.may_run_in_strips) return best;
  if (sink && fallback.search().within(*room.bytes))
    sink(MessageKind::kInfo, "the arena may take " + std::to_string(*room.bytes) +
                                 " bytes: building and running networks whose layers run in "
                                 "strips, which takes a while");
  const bool in_flash =
      constants_stay_in_flash(network_memory(network, options), device, {.memory = limits});
  const StripOrders counted(network, options, device, InputArrival::kWhole, in_flash);
  best = fastest_in_strips(fallback.search(), options, *room.bytes, std::move(best), &counted);
  if (!best && !is_first) use_least();
  return best;
}

Result<Deployment::Plan> Deployment::plan(const NetworkOptions& options) const {
  constexpr int kRounds = 4;
  const Device roomy = with_data_memory(device, kMuchRam);
  const StripFallback fallback(model.state().network, roomy, records, options);
  const ArenaAllowance room = room_for_arena(limits, device);
  uint64_t arena = *room.bytes;
  for (int round = 0; round < kRounds; ++round) {
    const auto fits = fallback.within(arena);
    if (!fits) break;
    if (!is_close(fits->arena_bytes)) return Plan{fits->plan, arena};
    const Result<Least> built = lean(fits->plan, fits->arena_bytes, options);
    if (!built) return Plan{fits->plan, arena};  // nothing tells
    const uint64_t too_much = excess(built->takes);
    if (too_much == 0) return Plan{fits->plan, arena};
    arena = without(fits->arena_bytes, too_much);
  }
  if (limits.arena_bytes == room.bytes && !fallback.within(*room.bytes))
    return fallback.refused(room);
  Result<Least> smallest = this->smallest(fallback, options);
  if (!smallest) return fallback.refused(room);
  if (excess(smallest->takes) > 0) return refused(*smallest);
  return Plan{smallest->plan, smallest->takes.arena_bytes};
}

}  // namespace tinytune
