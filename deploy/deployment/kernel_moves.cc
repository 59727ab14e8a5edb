#include "deploy/deployment/kernel_moves.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "codegen/networks/network_memory.h"
#include "deploy/deployment/moves.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/arena_limit.h"
#include "deploy/selection/device_memory.h"
#include "deploy/selection/fast_memory.h"
#include "deploy/selection/fitting.h"
#include "deploy/selection/overflow.h"

namespace tinytune {
namespace {

/// The least stack of any network.
constexpr uint64_t kLeastStack = 64;

// Searches kernels within one limit on the arena.
//
// Kernels that take scratch or widen their weights save instructions, but may lose more cycles to
// waits if fast memory has no room for their constants. A run of the first network measures those
// waits per byte; schedules and their copies are then chosen together.
struct ArenaSearch {
  const Deployment& deployment;
  const NetworkOptions& options;
  const ArenaAllowance& arena;
  uint64_t stack_bytes;
  Result<Candidate> best = Error(ErrorCode::kFailed, "nothing was tried");

  /// Room for copies, and the copies, of the network that was placed last.
  FastBudget budget = {};
  FastPlacement placement = {};
  FlashWaits waits = {};      ///< cycles per byte of its constants where they are
  bool waits_matter = false;  ///< other kernels may wait less

  KernelLimits allowed() const {
    return {.arena_bytes = arena.bytes,
            .flash_bytes = deployment.limits.flash_bytes,
            .memory = deployment.limits,
            .arena_says = arena.says};
  }
};

struct Placed {
  GeneratedNetwork network;
  FastBudget budget;
  FastPlacement placement;
};

/// Places the parts of a network that are worth it in fast memory.
Result<Placed> with_copies(const ArenaSearch& search, GeneratedNetwork network) {
  const auto& [model, device, limits] =
      std::tie(search.deployment.model, search.deployment.device, search.deployment.limits);
  TT_TRY(check_arena(search.deployment, network));
  Placed placed{std::move(network), {}, {}};
  placed.budget = fast_budget(device, placed.network.arena_bytes, limits, search.stack_bytes,
                              search.options.share ? search.options.share->networks : 1);
  auto placement = place_in_fast_memory(model.state().graph, device, placed.budget, placed.network);
  // Without a compiler everything stays in flash.
  if (!placement && placement.error().code() != ErrorCode::kNotFound) return placement.error();
  if (placement) placed.placement = std::move(*placement);
  return placed;
}

Result<Placed> place(const ArenaSearch& search, const KernelLimits& kernels,
                     const FlashWaits& waits) {
  const auto place_parts = [&](const GeneratedNetwork& network) -> Result<GeneratedNetwork> {
    TT_TRY_ASSIGN(Placed placed, with_copies(search, network));
    return std::move(placed.network);
  };
  TT_TRY_ASSIGN(GeneratedNetwork network,
                choose_kernels(search.deployment, search.options, kernels, waits, place_parts));
  return with_copies(search, std::move(network));
}

/// Proposes nothing if no kernels fit.
Proposal propose(ArenaSearch& search, const KernelLimits& kernels) {
  Result<Placed> placed = place(search, kernels, search.waits);
  if (!placed) return NotProposed{placed.error().message()};
  search.budget = std::move(placed->budget);
  search.placement = std::move(placed->placement);
  return Candidate{std::move(placed->network)};
}

/// Limits constants to the room beside copied code: in total, and in one memory.
KernelLimits beside_code(const ArenaSearch& search) {
  const auto& [budget, placement] = std::tie(search.budget, search.placement);
  KernelLimits kernels = search.allowed();
  const uint64_t copied_code = std::min(budget.total_bytes, placement.code_bytes);
  std::vector<uint64_t> rooms = budget.constant_bytes;
  if (budget.with_code) rooms[*budget.with_code] -= std::min(rooms[*budget.with_code], copied_code);
  const uint64_t all = std::accumulate(rooms.begin(), rooms.end(), uint64_t{0});
  kernels.fast_ram_bytes = std::min(all, budget.total_bytes - copied_code);
  kernels.largest_copy_bytes = *std::max_element(rooms.begin(), rooms.end());
  return kernels;
}

/// Returns the waits in cycles per byte of constants in flash, for layers without a record. Cycles
/// of a record include its waits.
FlashWaits waits_of_unmeasured(const GeneratedNetwork& network, const RunReport& ran,
                               const Records& records) {
  uint64_t waited = 0;
  for (const LayerCost& cost : ran.layers) waited += cost.read_wait_cycles;
  FlashWaits waits;
  if (waited == 0) return waits;
  for (const GeneratedLayer& layer : network.layers)
    if (layer.schedule && (!layer.tuned || records.are_of_other_memory()))
      waits[layer.index] =
          static_cast<double>(waited) / static_cast<double>(network.constant_bytes);
  return waits;
}

Proposal fewest_cycles(ArenaSearch& search) {
  TT_TRY_ASSIGN(Placed placed, place(search, search.allowed(), {}));
  search.budget = std::move(placed.budget);
  search.placement = std::move(placed.placement);
  return Candidate{std::move(placed.network)};
}

Proposal fewer_waits(ArenaSearch& search) {
  const Deployment& deployment = search.deployment;
  const Device& device = deployment.device;
  const FastPlacement& placement = search.placement;
  const bool waits_for_flash = placement.left_out_cycles > 0;
  const bool copies_nothing = device.fast_rodata_memories.empty() && !device.caches.empty();
  if (!search.best || (!waits_for_flash && !placement.overflows && !copies_nothing)) return {};
  TT_TRY(run_once(deployment, *search.best));
  const auto& [network, ran] = *search.best;
  search.waits = placement.waits;
  KernelLimits thriftier = search.allowed();
  if (copies_nothing) {
    search.waits = waits_of_unmeasured(network, *ran, deployment.records);
    thriftier.fast_ram_bytes = 0;
  } else {
    if (!device.fast_rodata_memories.empty()) thriftier = beside_code(search);
    if (!waits_for_flash) {
      search.waits =
          overflow_costs(network_memory(deployment.model.state().network, search.options), network,
                         *ran, device, deployment.records);
      thriftier.fast_ram_bytes = search.budget.constant_bytes.front();
    }
  }
  search.waits_matter = waits_for_flash || !search.waits.empty();
  if (!search.waits_matter || (!copies_nothing && device.fast_rodata_memories.empty())) return {};
  return propose(search, thriftier);
}

// A choice with more code or arena than the previous one leaves less room for constants than it was
// given, so the choice is made again with the room that it leaves.
Proposal fewer_waits_again(ArenaSearch& search) {
  const bool copies = !search.deployment.device.fast_rodata_memories.empty();
  if (!search.best || !search.waits_matter || !copies) return {};
  if (search.placement.left_out_cycles == 0) return {};
  search.waits = search.placement.waits;
  return propose(search, beside_code(search));
}

// Tries the arena of usual_arena(): scratch up to a limit on RAM leaves less RAM for copies.
Proposal arena_of_no_limit(ArenaSearch& search) {
  const MemoryLimits& limits = search.deployment.limits;
  if (!search.best || !search.waits_matter) return {};
  if (!limits.ram_bytes || limits.arena_bytes || !search.arena.bytes) return {};
  KernelLimits kernels = search.allowed();
  kernels.arena_bytes =
      std::min(*search.arena.bytes, usual_arena(search.best->network.arena_lower_bound));
  return propose(search, kernels);
}

Result<Candidate> fastest_in_arena(const Deployment& deployment, const NetworkOptions& options,
                                   const ArenaAllowance& arena, uint64_t stack_bytes);

// Records measured in another memory may order schedules worse than no records.
Proposal without_records(ArenaSearch& search) {
  if (!search.best || !search.waits_matter) return {};
  if (!search.deployment.records.are_of_other_memory()) return {};
  const Records none;
  const Deployment untuned = search.deployment.with(search.deployment.device, none);
  auto other = fastest_in_arena(untuned, search.options, search.arena, search.stack_bytes);
  if (!other) return NotProposed{other.error().message()};
  return std::move(*other);
}

constexpr Move<ArenaSearch> kKernelMoves[] = {
    {"kernels of fewest cycles", fewest_cycles},
    {"kernels whose constants wait less", fewer_waits},
    {"the same beside that code", fewer_waits_again},
    {"the arena that no limit gives", arena_of_no_limit},
    {"kernels without records of other memory", without_records}};

Result<Candidate> fastest_in_arena(const Deployment& deployment, const NetworkOptions& options,
                                   const ArenaAllowance& arena, uint64_t stack_bytes) {
  ArenaSearch search{deployment, options, arena, stack_bytes};
  make_moves(kKernelMoves, search);
  return std::move(search.best);
}

// Searches within a limit on all RAM. The stack's depth and the linker's additions are known only
// after the network has run.
struct RamSearch {
  const Deployment& deployment;
  const NetworkOptions& options;
  Result<Candidate> best = Error(ErrorCode::kFailed, "nothing was tried");
};

/// Reserves the excess of a network in the next round.
Proposal beside_stack(RamSearch& search) {
  constexpr int kRounds = 4;
  const Deployment& deployment = search.deployment;
  const Device& device = deployment.device;
  const MemoryLimits& limits = deployment.limits;
  uint64_t reserved = 0;
  std::optional<uint64_t> left;  // arena bytes, if the last network overflowed the data memory
  for (int round = 0;; ++round) {
    ArenaAllowance arena = arena_allowance(limits, reserved);
    if (left && (!arena.bytes || *left < *arena.bytes))
      arena = {left, device.data_memory + " leaves " + std::to_string(*left)};
    TT_TRY_ASSIGN(Candidate found, fastest_in_arena(deployment, search.options, arena, reserved));
    if (!limits.ram_bytes && !is_close(deployment, found.network.arena_bytes)) return found;
    const Status ran = run_once(deployment, found);
    if (!ran && ran.error().code() != ErrorCode::kFailed) return found;  // cannot run here
    if (!ran) return ran.error();
    const Footprint& takes = found.ran->footprint;
    const uint64_t too_much = excess(deployment, takes);
    if (too_much == 0) return found;
    if (round == kRounds) return exceeded(deployment, takes);
    const uint64_t size = device.memory(device.data_memory).size_bytes;
    if (in_data_memory(takes, device) > size)
      left = takes.arena_bytes - std::min<uint64_t>(takes.arena_bytes, too_much);
    reserved = std::max(takes.stack_bytes, reserved + too_much);
  }
}

// Estimates assume code in fast memory, so their order may be wrong if a limit on RAM leaves all
// code in flash. Then the network of `--fast-ram 0` is compared.
Proposal all_in_flash(RamSearch& search) {
  const Deployment& deployment = search.deployment;
  const Device& device = deployment.device;
  if (!deployment.limits.ram_bytes || !search.best) return {};
  if (device.fast_rodata_memories.empty() && device.fast_code_memory.empty()) return {};
  if (!run_once(deployment, *search.best)) return {};
  const Footprint& takes = search.best->ran->footprint;
  if (takes.weights_bytes + takes.code_bytes > 0) return {};
  const Device flash_alone = in_flash(device);
  const Deployment there = deployment.with(flash_alone, deployment.records);
  RamSearch other{there, search.options};
  Proposal proposal = beside_stack(other);
  if (auto* error = std::get_if<Error>(&proposal)) return NotProposed{error->message()};
  auto& candidate = std::get<Candidate>(proposal);
  candidate.ran.reset();  // it ran with the costs of flash_alone
  const Status ran = run_once(deployment, candidate);
  if (!ran) return NotProposed{ran.error().message()};
  if (excess(deployment, candidate.ran->footprint) > 0) return NotProposed{"it takes more RAM"};
  return proposal;
}

// Kernels with less scratch may need more stack than they save, so the rounds of beside_stack(),
// which reserve the last network's stack, may miss networks that fit.
Proposal smaller_arenas(RamSearch& search) {
  constexpr uint64_t kSteps = 6;
  const Deployment& deployment = search.deployment;
  const MemoryLimits& limits = deployment.limits;
  if (!limits.ram_bytes || search.best) return {};
  const uint64_t least =
      network_memory(deployment.model.state().network, search.options).lower_bound;
  const uint64_t beside_stack = *limits.ram_bytes - std::min(*limits.ram_bytes, kLeastStack);
  const uint64_t most = std::min(limits.arena_bytes.value_or(beside_stack), beside_stack);
  std::optional<Candidate> best;
  for (uint64_t step = 0; least <= most && step <= kSteps; ++step) {
    const ArenaAllowance arena{least + (most - least) * step / kSteps, {}};
    auto found = fastest_in_arena(deployment, search.options, arena, kLeastStack);
    if (!found || !run_once(deployment, *found)) continue;
    const Footprint& takes = found->ran->footprint;
    if (excess(deployment, takes) > 0) continue;
    if (best && takes.cycles >= best->ran->footprint.cycles) continue;
    best = std::move(*found);
  }
  if (!best) return {};
  return std::move(*best);
}

constexpr Move<RamSearch> kRamMoves[] = {{"RAM that the stack leaves", beside_stack},
                                         {"all in flash", all_in_flash},
                                         {"smaller arenas", smaller_arenas}};

}  // namespace

Result<Candidate> fastest_kernels(const Deployment& deployment, const NetworkOptions& options) {
  RamSearch search{deployment, options};
  make_moves(kRamMoves, search);
  return std::move(search.best);
}

Result<GeneratedNetwork> choose_kernels(const Deployment& deployment, const NetworkOptions& options,
                                        const KernelLimits& limits, const FlashWaits& waits,
                                        const PlaceParts& place_parts) {
  const IntegerNetwork& executed = deployment.model.state().network;
  const auto& [device, records] = std::tie(deployment.device, deployment.records);
  Result<GeneratedNetwork> fastest =
      generate_within(executed, device, records, limits, options, waits, place_parts);
  if (!fastest || limits.flash_bytes || !may_overflow(*fastest, device)) return fastest;
  KernelLimits within_device = limits;
  within_device.flash_bytes = device.memory(device.rodata_memory).size_bytes;
  auto fitting =
      generate_within(executed, device, records, within_device, options, waits, place_parts);
  return fitting ? std::move(fitting) : std::move(fastest);  // else the linker decides
}

}  // namespace tinytune
