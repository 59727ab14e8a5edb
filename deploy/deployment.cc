#include "deploy/deployment.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "codegen/networks/memory_plan.h"
#include "deploy/fast_memory.h"
#include "deploy/fitting.h"
#include "deploy/model_state.h"
#include "deploy/network_simulation.h"

namespace tinytune {
namespace {

/// Whether what the fastest kernels take may leave no room in the device's flash. Then kernels are
/// chosen within it; otherwise nothing has to be built to know that it fits.
bool may_overflow(const GeneratedNetwork& network, const Device& device) {
  constexpr uint64_t kOtherCode = 64 * 1024;  // of any network seen, and some
  return network.constant_bytes + 4 * network.assembly_lines + kOtherCode >
         device.memory(device.rodata_memory).size_bytes;
}

/// Nobody chose this arena: why it is as large as it is.
void tell_what_arena_takes(const GeneratedNetwork& network, const MessageSink& sink) {
  const uint64_t bound = network.arena_lower_bound, rounded = kArenaAlignment;
  if (!sink || network.arena_bytes <= bound + std::max(bound / 20, rounded)) return;
  sink(MessageKind::kInfo, "the arena takes " + std::to_string(network.arena_bytes) +
                               " bytes, more than the " + std::to_string(bound) +
                               " of its tensors + 5 %: the least that can be had");
}

/// Of one inference. What kernels do does not depend on data.
Result<uint64_t> cycles_of(const Graph& graph, const GeneratedNetwork& network,
                           const Device& device) {
  TT_TRY_ASSIGN(NetworkSimulation simulation, NetworkSimulation::load(graph, network, device));
  std::vector<std::vector<uint8_t>> inputs;
  for (const int t : graph.inputs)
    inputs.emplace_back(static_cast<size_t>(graph.tensor(t).bytes()), uint8_t{0});
  TT_TRY_ASSIGN(const RunReport report, simulation.invoke(inputs));
  return report.cycles;
}

/// Flash for kernels that leave more of the network in fast memory: what is there, or, where not
/// even half of the constants would fit, something less than they take. Widening at most doubles
/// weights, and fewer bytes still wait less.
uint64_t leaner_flash(const GeneratedNetwork& network, const Device& device,
                      std::optional<uint64_t> limit) {
  const uint64_t fast = device.memory(device.fast_rodata_memory).size_bytes;
  const uint64_t room = std::min(fast, limit.value_or(fast));
  return room >= network.constant_bytes / 2 ? room : network.constant_bytes * 9 / 16;
}

}  // namespace

Result<GeneratedNetwork> Deployment::generate(LayoutChoice& layouts) const {
  NetworkOptions options;
  options.name = model.info().name;
  options.layouts = layouts.source();
  Result<GeneratedNetwork> network = choose_kernels(options);
  TT_TRY(layouts.status());
  if (!network) return network.error().within(model.path());
  if (sink)
    for (const std::string& warning : network->warnings) sink(MessageKind::kWarning, warning);
  if (!limits.ram_bytes) tell_what_arena_takes(*network, sink);
  TT_TRY(check_arena(*network));
  const Status placed = place(options, *network);
  // Without a compiler everything stays in flash.
  if (!placed && placed.error().code() != ErrorCode::kNotFound) return placed.error();
  return network;
}

Result<GeneratedNetwork> Deployment::choose_kernels(const NetworkOptions& options) const {
  const IntegerNetwork& executed = model.state().network;
  Result<GeneratedNetwork> fastest = generate_within(executed, device, records, limits, options);
  if (!fastest || limits.flash_bytes || !may_overflow(*fastest, device)) return fastest;
  MemoryLimits within_device = limits;
  within_device.flash_bytes = device.memory(device.rodata_memory).size_bytes;
  auto fitting = generate_within(executed, device, records, within_device, options);
  return fitting ? std::move(fitting) : std::move(fastest);  // else the linker has the last word
}

Status Deployment::check_arena(const GeneratedNetwork& network) const {
  const MemoryRegion& ram = device.memory(device.data_memory);
  if (network.arena_bytes <= ram.size_bytes) return ok_status();
  return Error(ErrorCode::kFailed, model.path() + " does not fit " + device.name +
                                       ": its arena takes " + std::to_string(network.arena_bytes) +
                                       " bytes, " + ram.name + " has " +
                                       std::to_string(ram.size_bytes));
}

// Where constants do not all fit, kernels that widen their weights may lose in flash what they win
// in instructions: a choice with fewer bytes is tried too.
Status Deployment::place(const NetworkOptions& options, GeneratedNetwork& network) const {
  const Graph& graph = model.state().graph;
  TT_TRY(place_in_fast_memory(graph, device, limits.fast_ram_bytes, network));
  const bool all_fast =
      std::find(network.fast.begin(), network.fast.end(), false) == network.fast.end();
  if (all_fast || limits.flash_bytes || limits.fast_ram_bytes == 0 ||
      device.fast_rodata_memory.empty())
    return ok_status();
  MemoryLimits fewer = limits;
  fewer.flash_bytes = leaner_flash(network, device, limits.fast_ram_bytes);
  auto other = generate_within(model.state().network, device, records, fewer, options);
  if (!other) return ok_status();  // nothing fits
  TT_TRY(place_in_fast_memory(graph, device, limits.fast_ram_bytes, *other));
  TT_TRY_ASSIGN(const uint64_t now, cycles_of(graph, network, device));
  TT_TRY_ASSIGN(const uint64_t then, cycles_of(graph, *other, device));
  if (then < now) network = std::move(*other);
  return ok_status();
}

}  // namespace tinytune
