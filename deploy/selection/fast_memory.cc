#include "deploy/selection/fast_memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "deploy/execution/network_simulation.h"
#include "deploy/selection/device_memory.h"

namespace tinytune {
namespace {

// Bytes that a linker adds to code: alignment, and a veneer for a call out of range.
constexpr uint64_t kSlackBytes = 24;

// Rounds up to 16 bytes, the largest alignment that compilers give to arrays.
uint64_t with_alignment(uint64_t array_bytes) {
  constexpr uint64_t kMost = 16;
  return (array_bytes + kMost - 1) / kMost * kMost;
}

/// Parts that move together: arrays used by the same layers. A kernel, or the layers' code, moves
/// alone.
struct Group {
  FastCandidate candidate;
  bool needed = false;
  std::vector<size_t> parts;
  std::vector<std::string> layers;
};

std::vector<Group> group_parts(const GeneratedNetwork& network, const ElfInfo& elf,
                               uint64_t layers_code_bytes) {
  std::vector<Group> groups;
  std::map<std::vector<std::string>, size_t> of_users;
  for (size_t i = 0; i < network.placeable.size(); ++i) {
    const PlaceablePart& part = network.placeable[i];
    size_t at = groups.size();
    if (!part.code) at = of_users.try_emplace(part.layers, at).first->second;
    if (at == groups.size())
      groups.push_back({{part.code, 0, 0}, part.needs_fast, {}, part.layers});
    groups[at].candidate.bytes +=
        !part.code ? with_alignment(part.bytes)
                   : kSlackBytes + (part.symbol.empty() ? layers_code_bytes
                                                        : elf.symbols.at(part.symbol).size);
    groups[at].parts.push_back(i);
  }
  return groups;
}

// Returns the bytes of functions other than kernels, which run in every call.
uint64_t bytes_of_layers_code(const GeneratedNetwork& network, const ElfInfo& elf,
                              const Device& device) {
  std::vector<const MemoryRegion*> homes = {&device.memory(device.code_memory)};
  if (!device.fast_code_memory.empty() && has_fast_code(network))
    homes.push_back(&device.memory(device.fast_code_memory));
  const auto is_code = [&](const SymbolRange& range) {
    return std::any_of(homes.begin(), homes.end(), [&](const MemoryRegion* memory) {
      return range.address - memory->address < memory->size_bytes;
    });
  };
  std::set<std::string> parts = {network.arena_symbol, network.reset_symbol};
  for (const PlaceablePart& part : network.placeable) parts.insert(part.symbol);
  uint64_t bytes = 0;
  for (const auto& [name, range] : elf.symbols) {
    if (!parts.contains(name) && is_code(range)) bytes += range.size + kSlackBytes;
  }
  return bytes;
}

// Sets the saved cycles of each group. A layer's waits for constants are split among its groups in
// proportion to their bytes.
Result<FlashWaits> add_savings(const Graph& graph, const GeneratedNetwork& network,
                               NetworkSimulation& simulation, std::vector<Group>& groups) {
  std::vector<std::vector<uint8_t>> inputs;
  for (const int t : graph.inputs)
    inputs.emplace_back(static_cast<size_t>(graph.tensor(t).bytes()), uint8_t{0});
  std::vector<std::string> functions;
  for (const LayerFunction& function : network.functions) functions.push_back(function.symbol);
  TT_TRY_ASSIGN(const std::vector<Counts> counts, simulation.count(inputs, functions));
  std::map<std::string, uint64_t> constant_bytes;  // by layer
  for (const Group& group : groups)
    if (!group.candidate.code)
      for (const std::string& layer : group.layers) constant_bytes[layer] += group.candidate.bytes;
  std::map<std::string, const Counts*> of_layer;
  for (size_t i = 0; i < functions.size(); ++i) of_layer[functions[i]] = &counts[i];
  for (Group& group : groups) {
    for (const std::string& layer : group.layers) {
      const Counts& waited = *of_layer.at(layer);
      group.candidate.saved_cycles +=
          group.candidate.code
              ? waited.fetch_wait_cycles
              : waited.read_wait_cycles * group.candidate.bytes / constant_bytes.at(layer);
    }
  }
  std::map<std::string, int> calls;
  std::map<int, std::string> functions_of;  // by operator
  for (const GeneratedLayer& layer : network.layers) {
    ++calls[layer.symbol];
    functions_of[layer.index] = layer.symbol;
  }
  FlashWaits waits;
  for (const GeneratedLayer& layer : network.layers) {
    // Layers that run in strips share one function, recorded at the first of them.
    const std::string& function = functions_of[layer.fused_into.value_or(layer.index)];
    if (const auto bytes = constant_bytes.find(function); bytes != constant_bytes.end())
      waits[layer.index] = static_cast<double>(of_layer.at(function)->read_wait_cycles) /
                           static_cast<double>(bytes->second) / calls.at(function);
  }
  return waits;
}

// Returns whether all candidates fit, with constants in the preferred memory.
bool fits(std::span<const FastCandidate> candidates, const FastBudget& budget) {
  uint64_t code = 0, constants = 0;
  for (const FastCandidate& candidate : candidates)
    (candidate.code ? code : constants) += candidate.bytes;
  const uint64_t preferred = budget.constant_bytes.empty() ? 0 : budget.constant_bytes.front();
  const uint64_t beside = budget.with_code == size_t{0} ? code : 0;
  return code <= budget.code_bytes && constants + beside <= preferred &&
         code + constants <= budget.total_bytes;
}

uint64_t without(uint64_t bytes, uint64_t taken) { return bytes - std::min(bytes, taken); }

struct Filling {
  std::vector<FastHome> homes;
  uint64_t saved_cycles = 0;
};

enum class Room { kPreferred, kTightest };

// Places candidates in the order of `worth`, each into a memory of its kind with room: the first
// one (kPreferred), or the one with the least room left (kTightest).
template <typename Worth>
Filling fill(std::span<const FastCandidate> candidates, const FastBudget& budget, Room wanted,
             Worth worth) {
  std::vector<size_t> order(candidates.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return worth(candidates[a]) > worth(candidates[b]); });
  Filling filling{std::vector<FastHome>(candidates.size()), 0};
  FastBudget left = budget;
  for (const size_t i : order) {
    const FastCandidate& candidate = candidates[i];
    if (candidate.bytes > left.total_bytes) continue;
    if (candidate.saved_cycles == 0 && !budget.everything) continue;
    const std::span<uint64_t> rooms =
        candidate.code ? std::span(&left.code_bytes, 1) : std::span(left.constant_bytes);
    auto room = rooms.end();
    for (auto r = rooms.begin(); r != rooms.end(); ++r)
      if (candidate.bytes <= *r &&
          (room == rooms.end() || (wanted == Room::kTightest && *r < *room)))
        room = r;
    if (room == rooms.end()) continue;
    *room -= candidate.bytes;
    left.total_bytes -= candidate.bytes;
    filling.homes[i] = static_cast<FastHome>(room - rooms.begin() + 1);
    filling.saved_cycles += candidate.saved_cycles;
    if (!left.with_code) continue;
    uint64_t& shared = left.constant_bytes[*left.with_code];
    shared = left.code_bytes = std::min(shared, left.code_bytes);
  }
  return filling;
}

FastBudget budget_of_one(const Device& device, uint64_t arena_bytes, const MemoryLimits& limits,
                         uint64_t stack_bytes) {
  constexpr uint64_t kDataAlignment = 64;
  FastBudget budget;
  if (!device.fast_code_memory.empty())
    budget.code_bytes = device.memory(device.fast_code_memory).size_bytes;
  const bool is_usual = !limits.fast_ram_bytes && !limits.ram_bytes;
  const auto shared = [](uint64_t free) {
    return std::min(free / 2, without(free, kSmallApplicationBytes));
  };
  for (const std::string& memory : device.fast_rodata_memories) {
    uint64_t free = device.memory(memory).size_bytes;
    if (memory == device.data_memory) {
      free = without(free, arena_bytes + kDataAlignment);
      if (is_usual) free = shared(free);
    }
    if (memory == device.fast_code_memory ||
        (memory == device.data_memory && code_is_beside_data(device))) {
      budget.with_code = budget.constant_bytes.size();
      budget.code_bytes = free;
    }
    budget.constant_bytes.push_back(free);
  }
  if (is_usual) {
    budget.total_bytes = shared(without(ram_of(device), arena_bytes));
    return budget;
  }
  budget.everything = limits.fast_ram_bytes == kAllFastRam;
  budget.total_bytes = limits.fast_ram_bytes.value_or(kAllFastRam);
  if (limits.ram_bytes)
    budget.total_bytes =
        std::min(budget.total_bytes, without(*limits.ram_bytes, arena_bytes + stack_bytes));
  return budget;
}

// Returns the budget minus the code that must be copied because it cannot stay in flash.
FastBudget beside_needed(FastBudget budget, std::span<const Group> groups) {
  for (const Group& group : groups) {
    if (!group.needed) continue;
    budget.code_bytes = without(budget.code_bytes, group.candidate.bytes);
    budget.total_bytes = without(budget.total_bytes, group.candidate.bytes);
    if (!budget.with_code) continue;
    uint64_t& shared = budget.constant_bytes[*budget.with_code];
    shared = without(shared, group.candidate.bytes);
  }
  return budget;
}

}  // namespace

FastBudget fast_budget(const Device& device, uint64_t arena_bytes, const MemoryLimits& limits,
                       uint64_t stack_bytes, int networks) {
  FastBudget budget = budget_of_one(device, arena_bytes, limits, stack_bytes);
  if (networks <= 1) return budget;
  const auto among = static_cast<uint64_t>(networks);
  budget.code_bytes /= among;
  for (uint64_t& bytes : budget.constant_bytes) bytes /= among;
  budget.total_bytes /= among;
  return budget;
}

std::vector<FastHome> choose_fast(std::span<const FastCandidate> candidates,
                                  const FastBudget& budget) {
  const auto saved_per_byte = [](const FastCandidate& c) {
    return static_cast<double>(c.saved_cycles) /
           static_cast<double>(std::max<uint64_t>(c.bytes, 1));
  };
  const auto saved = [](const FastCandidate& c) { return static_cast<double>(c.saved_cycles); };
  Filling best = fill(candidates, budget, Room::kPreferred, saved_per_byte);
  const auto consider = [&](Filling other) {
    if (other.saved_cycles > best.saved_cycles) best = std::move(other);
  };
  consider(fill(candidates, budget, Room::kPreferred, saved));
  consider(fill(candidates, budget, Room::kTightest, saved_per_byte));
  consider(fill(candidates, budget, Room::kTightest, saved));
  return std::move(best.homes);
}

Result<FastPlacement> place_in_fast_memory(const Graph& graph, const Device& device,
                                           const FastBudget& budget, GeneratedNetwork& network) {
  FastPlacement placement;
  if (network.placeable.empty()) return placement;
  TT_TRY_ASSIGN(NetworkSimulation simulation, NetworkSimulation::load(graph, network, device));
  const uint64_t layers_code = bytes_of_layers_code(network, simulation.elf(), device);
  std::vector<Group> groups = group_parts(network, simulation.elf(), layers_code);
  std::vector<FastCandidate> candidates;
  for (const Group& group : groups) candidates.push_back(group.candidate);
  std::vector<FastHome> chosen(groups.size(), 1);
  if (!budget.everything || !fits(candidates, budget)) {
    TT_TRY_ASSIGN(placement.waits, add_savings(graph, network, simulation, groups));
    for (size_t g = 0; g < groups.size(); ++g)
      candidates[g] = groups[g].needed ? FastCandidate{true} : groups[g].candidate;
    chosen = choose_fast(candidates, beside_needed(budget, groups));
  }
  for (size_t g = 0; g < groups.size(); ++g)
    if (groups[g].needed) chosen[g] = 1;
  std::vector<FastHome> homes(network.placeable.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const size_t part : groups[g].parts) homes[part] = chosen[g];
    if (chosen[g] == 0) placement.left_out_cycles += candidates[g].saved_cycles;
    if (chosen[g] > 1) placement.overflows = true;
    if (chosen[g] != 0 && candidates[g].code) placement.code_bytes += groups[g].candidate.bytes;
  }
  place(network, device, homes);
  return placement;
}

bool constants_stay_in_flash(const NetworkMemory& memory, const Device& device,
                             const KernelLimits& limits) {
  if (limits.fast_ram_bytes || device.fast_rodata_memories.empty()) return false;
  uint64_t bytes = 0;
  for (const NetworkMemory::Layer& layer : memory.layers)
    if (!layer.shares_constants) bytes += layer.op.data.weights.size();
  const FastBudget budget = fast_budget(device, memory.lower_bound, limits.memory);
  const auto& rooms = budget.constant_bytes;
  return bytes >
         std::min(budget.total_bytes, std::accumulate(rooms.begin(), rooms.end(), uint64_t{0}));
}

}  // namespace tinytune
