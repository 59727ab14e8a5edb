#include "codegen/networks/network_memory.h"

#include <algorithm>

#include "codegen/networks/network_parts.h"
#include "codegen/networks/storage.h"

namespace tinytune {
namespace {

uint32_t rounded(uint32_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

bool is_alive(const ArenaBuffer& buffer, int step) {
  return buffer.first_step <= step && step <= buffer.last_step;
}

}  // namespace

uint32_t peak_live_bytes(std::span<const ArenaBuffer> buffers) {
  uint32_t most = 0;
  // Sums rise only where a buffer begins.
  for (const ArenaBuffer& first : buffers) {
    uint32_t live = 0;
    for (const ArenaBuffer& buffer : buffers)
      if (is_alive(buffer, first.first_step)) live += buffer.bytes;
    most = std::max(most, live);
  }
  return most;
}

uint32_t NetworkMemory::arena_bytes(std::span<const uint32_t> scratch) const {
  std::vector<ArenaBuffer> all = buffers;
  for (size_t i = 0; i < layers.size(); ++i)
    if (scratch[i] > 0) all.push_back({scratch[i], layers[i].step, layers[i].step});
  return plan_memory(all).arena_bytes;
}

NetworkMemory network_memory(const IntegerNetwork& executed, const NetworkOptions& options) {
  LaidOutGraph network = laid_out(executed, options);
  NetworkMemory memory;
  memory.buffers = assign_storage(network.graph, network.ops).buffers;
  memory.lower_bound = peak_live_bytes(memory.buffers);
  for (size_t step = 0; step < network.ops.size(); ++step) {
    auto* op = std::get_if<KernelOp>(&network.ops[step]);
    if (op == nullptr) continue;
    NetworkMemory::Layer layer{network.graph.operators[step].index, std::move(*op),
                               static_cast<int>(step), 0};
    for (const ArenaBuffer& buffer : memory.buffers)
      if (is_alive(buffer, layer.step)) layer.live_bytes += rounded(buffer.bytes);
    memory.layers.push_back(std::move(layer));
  }
  return memory;
}

}  // namespace tinytune
