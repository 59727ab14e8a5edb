// Keeps a limit on all RAM. A network has to run first, because only a run tells the stack.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "codegen/networks/network_memory.h"
#include "deploy/deployment/deployment.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/arena_limit.h"
#include "deploy/selection/device_memory.h"

namespace tinytune {

// Kernels with less scratch may need more stack than they save, so rounds that leave the stack of
// the last one free may end below what would have fitted: then arenas in between are tried.
Result<GeneratedNetwork> Deployment::within_ram(const NetworkOptions& options) const {
  constexpr uint64_t kLeastStack = 64, kSteps = 6;
  Result<GeneratedNetwork> best = keep_ram(options);
  if (!limits.ram_bytes) return best;
  if (best) return faster_in_flash(options, std::move(*best));
  const uint64_t least = network_memory(model.state().network, options).lower_bound;
  const uint64_t beside_stack = *limits.ram_bytes - std::min(*limits.ram_bytes, kLeastStack);
  const uint64_t most = std::min(limits.arena_bytes.value_or(beside_stack), beside_stack);
  uint64_t fewest = std::numeric_limits<uint64_t>::max();
  for (uint64_t step = 0; least <= most && step <= kSteps; ++step) {
    const ArenaAllowance arena{least + (most - least) * step / kSteps, {}};
    Result<GeneratedNetwork> network = fastest(options, arena, kLeastStack);
    if (!network) continue;
    const Result<Footprint> takes = measure(*network);
    if (!takes || excess(*takes) > 0 || takes->cycles >= fewest) continue;
    fewest = takes->cycles;
    best = std::move(network);
  }
  return best;
}

// Compares the network with the one that `--fast-ram 0` chooses, if nothing is copied: estimates
// count code in fast memory, so their order may be wrong for code in flash.
Result<GeneratedNetwork> Deployment::faster_in_flash(const NetworkOptions& options,
                                                     GeneratedNetwork best) const {
  if (device.fast_rodata_memories.empty() && device.fast_code_memory.empty()) return best;
  const Result<Footprint> takes = measure(best);
  if (!takes || takes->weights_bytes + takes->code_bytes > 0) return best;
  const Device all_in_flash = in_flash(device);
  const Deployment other{model, all_in_flash, records, limits, sink, input, share};
  Result<GeneratedNetwork> network = other.keep_ram(options);
  if (!network) return best;
  const Result<Footprint> takes_there = measure(*network);
  if (!takes_there || excess(*takes_there) > 0 || takes_there->cycles >= takes->cycles) return best;
  return network;
}

// How deep the stack is, and what a linker adds, is known once the network has run: what it takes
// too much is then left free.
Result<GeneratedNetwork> Deployment::keep_ram(const NetworkOptions& options) const {
  constexpr int kRounds = 4;
  uint64_t reserved = 0;
  std::optional<uint64_t> left;  // of the data memory, where the last network took too much of it
  for (int round = 0;; ++round) {
    ArenaAllowance arena = arena_allowance(limits, reserved);
    if (left && (!arena.bytes || *left < *arena.bytes))
      arena = {left, device.data_memory + " leaves " + std::to_string(*left)};
    TT_TRY_ASSIGN(GeneratedNetwork network, fastest(options, arena, reserved));
    if (!limits.ram_bytes && !is_close(network.arena_bytes)) return network;
    const Result<Footprint> takes = measure(network);
    if (!takes && takes.error().code() != ErrorCode::kFailed) return network;  // nothing tells
    if (!takes) return takes.error();
    const uint64_t too_much = excess(*takes);
    if (too_much == 0) return network;
    if (round == kRounds) return exceeded(*takes);
    const uint64_t size = device.memory(device.data_memory).size_bytes;
    if (in_data_memory(*takes, device) > size)
      left = takes->arena_bytes - std::min(takes->arena_bytes, too_much);
    reserved = std::max(takes->stack_bytes, reserved + too_much);
  }
}

}  // namespace tinytune
