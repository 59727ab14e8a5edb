#include "codegen/networks/network_memory.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "codegen/networks/executed_graph.h"
#include "codegen/networks/split_layers.h"
#include "codegen/networks/storage.h"

namespace tinytune {
namespace {

bool is_alive(const ArenaBuffer& buffer, int step) {
  return buffer.first_step <= step && step <= buffer.last_step;
}

/// Returns the bytes of buffers alive in a step. Bytes that two of them share count once.
uint32_t bytes_alive(std::span<const ArenaBuffer> buffers, int step) {
  uint32_t live = 0;
  for (const ArenaBuffer& buffer : buffers) {
    if (!is_alive(buffer, step)) continue;
    live += buffer.bytes;
    if (!buffer.runs_into) continue;
    const ArenaBuffer& above = buffers[buffer.runs_into->buffer];
    if (is_alive(above, step)) live -= shared_bytes(buffer, above);
  }
  return live;
}

/// Rounds sizes and distances as the planner does.
std::vector<ArenaBuffer> rounded(std::vector<ArenaBuffer> buffers) {
  for (ArenaBuffer& buffer : buffers) {
    buffer.bytes = aligned_in_arena(buffer.bytes);
    if (buffer.runs_into) buffer.runs_into->distance = aligned_in_arena(buffer.runs_into->distance);
  }
  return buffers;
}

}  // namespace

uint32_t peak_live_bytes(std::span<const ArenaBuffer> buffers) {
  uint32_t most = 0;
  // Sums rise only where a buffer begins.
  for (const ArenaBuffer& first : buffers)
    most = std::max(most, bytes_alive(buffers, first.first_step));
  return most;
}

uint32_t live_bytes(std::span<const ArenaBuffer> buffers, int step) {
  return bytes_alive(rounded({buffers.begin(), buffers.end()}), step);
}

uint32_t NetworkMemory::arena_bytes(std::span<const uint32_t> scratch) const {
  std::map<std::pair<int, int>, uint32_t> scratch_at;  // by step and core: one kernel at a time
  for (size_t i = 0; i < layers.size(); ++i) {
    uint32_t& most = scratch_at[{layers[i].step, layers[i].core}];
    most = std::max(most, scratch[i]);
  }
  std::vector<ArenaBuffer> all = buffers;
  for (const auto& [at, bytes] : scratch_at)
    if (bytes > 0) all.push_back({bytes, at.first, at.first});
  return plan_memory(all).arena_bytes;
}

NetworkMemory network_memory(const IntegerNetwork& executed, const NetworkOptions& options) {
  LaidOutGraph network = laid_out(executed, options);
  const auto flows = strip_flows(network, options.strips);
  TT_CHECK(flows.has_value(), "groups of strips that are possible");
  NetworkMemory memory;
  memory.buffers = assign_storage(network.graph, network.ops, *flows, options.state_room()).buffers;
  const auto splits = split_layers(network, *flows, options.splits);
  TT_CHECK(splits.has_value(), "splits that are possible");
  if (!options.splits.empty()) memory.buffers.push_back(core_words(network.ops.size()));
  memory.lower_bound = peak_live_bytes(memory.buffers);
  const std::vector<ArenaBuffer> planned = rounded(memory.buffers);
  const auto add = [&](size_t step, KernelOp op) -> NetworkMemory::Layer& {
    const int at = static_cast<int>(step);
    memory.layers.push_back(
        {network.graph.operators[step].index, std::move(op), at, bytes_alive(planned, at)});
    return memory.layers.back();
  };
  auto flow = flows->begin();
  for (size_t step = 0; step < network.ops.size(); ++step) {
    while (flow != flows->end() && flow->last_step < static_cast<int>(step)) ++flow;
    auto* op = std::get_if<KernelOp>(&network.ops[step]);
    if (op == nullptr) continue;
    if (const auto& split = (*splits)[step]) {
      for (int core = 0; core < 2; ++core) {
        const IntegerOp& half = (*split)[static_cast<size_t>(core)].form;
        NetworkMemory::Layer& layer = add(step, std::get<KernelOp>(half));
        layer.strip_of = op->workload;
        layer.is_half = true;
        layer.shares_constants = core == 0 && (*split)[0].part == LayerPart::kRows;
        layer.core = core;
      }
      continue;
    }
    if (flow == flows->end() || static_cast<int>(step) < flow->first_step) {
      add(step, std::move(*op));
      continue;
    }
    const size_t first = memory.layers.size();
    size_t main = first;  // the variant called most: its constants are counted
    for (const StripVariant& variant : flow->variants) {
      if (variant.step != step) continue;
      NetworkMemory::Layer& layer = add(step, std::get<KernelOp>(variant.form));
      layer.calls = variant.calls;
      layer.strip_of = op->workload;
      layer.shares_constants = true;
      if (variant.calls > memory.layers[main].calls) main = memory.layers.size() - 1;
    }
    if (memory.layers.size() > first) memory.layers[main].shares_constants = false;
  }
  return memory;
}

}  // namespace tinytune
