#include "deploy/strip_plan/planner.h"

#include <algorithm>
#include <limits>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/network_memory.h"
#include "codegen/networks/storage.h"

namespace tinytune {
namespace {

// Longer groups were never better: layers between two small tensors need no more members.
constexpr int kLongestGroup = 14;
constexpr int kMostRows = 16;

// Overhead of a call: entry, and the work of a kernel for each output channel before its first
// pixel.
constexpr int64_t kCyclesOfCall = 150, kCyclesOfChannel = 10;
constexpr int64_t kBytesMovedInACycle = 2;

uint64_t extra_cycles_of(const StripFlow& flow, const LaidOutGraph& network) {
  int64_t cycles = 0;
  const auto bytes_of = [&](int tensor) { return network.graph.tensor(tensor).bytes(); };
  for (const StripVariant& variant : flow.variants) {
    const Operator& op = network.graph.operators[variant.step];
    const int channels = network.graph.tensor(op.outputs[0]).shape[3];
    cycles += variant.calls * (kCyclesOfCall + kCyclesOfChannel * channels);
  }
  for (const Strip& strip : flow.strips)
    for (const RowSlide& slide : strip.slides) {
      const Tensor& tensor = network.graph.tensor(flow.windows[slide.window].tensor);
      cycles += slide.kept * row_bytes(tensor) / kBytesMovedInACycle;
    }
  for (const RunsInto& pair : flow.runs_into) cycles += bytes_of(pair.input) / kBytesMovedInACycle;
  return static_cast<uint64_t>(cycles);
}

}  // namespace

StripPlanner::StripPlanner(const IntegerNetwork& network, const NetworkOptions& options,
                           InputArrival input, KernelLosses& losses)
    : network_(network),
      options_(options),
      input_(input),
      losses_(losses),
      graph_(graph_of_groups(network, options)) {
  options_.strips.clear();
  edges_.resize(graph_.ops.size());
  whole_.resize(graph_.ops.size());
  add_layers();
  for (int step = 0; step < static_cast<int>(graph_.ops.size()); ++step) add_groups_from(step);
}

const KernelOp* StripPlanner::kernel_at(size_t step) const {
  return std::get_if<KernelOp>(&graph_.ops[step]);
}

void StripPlanner::add_layers() {
  const auto buffers = assign_storage(graph_.graph, graph_.ops).buffers;
  for (size_t step = 0; step < edges_.size(); ++step) {
    const KernelOp* kernel = kernel_at(step);
    if (kernel != nullptr) whole_[step] = losses_.number_of(*kernel);
    if (step == 0 && input_ == InputArrival::kRows) continue;
    const int at = static_cast<int>(step);
    Edge edge{at, at, 0, live_bytes(buffers, at), 0};
    if (kernel != nullptr) edge.kernels.push_back({step, whole_[step], edge.live_bytes});
    edges_[step].push_back(std::move(edge));
  }
}

void StripPlanner::add_groups_from(int first) {
  const Graph& graph = graph_.graph;
  const int end = std::min(static_cast<int>(edges_.size()), first + kLongestGroup);
  for (int last = first; last < end; ++last) {
    const Operator& op = graph.operators[static_cast<size_t>(last)];
    const auto map = row_map(graph, op, graph_.ops[static_cast<size_t>(last)]);
    if (!map) return;  // a longer group would have none either
    for (int rows = std::min(kMostRows, map->out_rows - 1); rows >= 1; --rows) {
      const int first_index = graph.operators[static_cast<size_t>(first)].index;
      const auto flow =
          strip_flow(graph, graph_.ops, {first_index, op.index, rows, arrival_at(first)});
      if (!flow) continue;
      const auto buffers = assign_storage(graph, graph_.ops, {&*flow, 1}).buffers;
      Edge edge{first, last, rows, 0, extra_cycles_of(*flow, graph_)};
      for (int step = first; step <= last; ++step)
        edge.live_bytes = std::max(edge.live_bytes, live_bytes(buffers, step));
      for (const StripVariant& variant : flow->variants)
        if (const auto* kernel = std::get_if<KernelOp>(&variant.form))
          edge.kernels.push_back({variant.step, losses_.number_of(kernel->workload),
                                  live_bytes(buffers, static_cast<int>(variant.step)),
                                  variant.calls});
      edges_[static_cast<size_t>(last)].push_back(std::move(edge));
    }
  }
}

uint64_t StripPlanner::cycles_of(const Edge& edge, uint64_t limit, const SlowWhenLean& slow) const {
  uint64_t cycles = edge.extra_cycles;
  for (const Kernel& kernel : edge.kernels) {
    const bool lean_is_slow = slow.contains(graph_.graph.operators[kernel.step].index);
    const uint64_t lost = losses_.lost_cycles(kernel.number, whole_[kernel.step],
                                              limit - kernel.live_bytes, lean_is_slow);
    cycles += static_cast<uint64_t>(kernel.calls) * lost;
  }
  return cycles;
}

std::optional<StripPlanner::Path> StripPlanner::shortest(uint64_t limit,
                                                         const SlowWhenLean& slow) const {
  constexpr uint64_t kUnreached = std::numeric_limits<uint64_t>::max();
  std::vector<uint64_t> cycles(edges_.size() + 1, kUnreached);  // before each step, and at the end
  std::vector<const Edge*> taken(edges_.size() + 1, nullptr);
  cycles[0] = 0;
  for (size_t step = 0; step < edges_.size(); ++step)
    for (const Edge& edge : edges_[step]) {
      const uint64_t before = cycles[static_cast<size_t>(edge.first)];
      if (edge.live_bytes > limit || before == kUnreached) continue;
      const uint64_t after = before + cycles_of(edge, limit, slow);
      if (after >= cycles[step + 1]) continue;
      cycles[step + 1] = after;
      taken[step + 1] = &edge;
    }
  if (cycles.back() == kUnreached) return std::nullopt;
  Path path;
  path.extra_cycles = cycles.back();
  for (size_t at = edges_.size(); at > 0; at = static_cast<size_t>(taken[at]->first)) {
    const Edge& edge = *taken[at];
    path.live_bytes = std::max(path.live_bytes, edge.live_bytes);
    if (edge.rows == 0) continue;
    const auto& operators = graph_.graph.operators;
    path.groups.push_back({operators[static_cast<size_t>(edge.first)].index,
                           operators[static_cast<size_t>(edge.last)].index, edge.rows,
                           arrival_at(edge.first)});
  }
  std::reverse(path.groups.begin(), path.groups.end());
  return path;
}

uint64_t StripPlanner::planned_arena(const std::vector<StripGroup>& groups) const {
  NetworkOptions options = options_;
  options.strips = groups;
  const NetworkMemory memory = network_memory(network_, options);
  return memory.arena_bytes(std::vector<uint32_t>(memory.layers.size(), 0));
}

std::optional<StripPlanner::Path> StripPlanner::within(uint64_t arena_bytes,
                                                       const SlowWhenLean& slow) const {
  uint64_t limit = arena_bytes;
  while (auto path = shortest(limit, slow)) {
    const uint64_t arena = planned_arena(path->groups);
    if (arena <= arena_bytes) return path;
    const uint64_t excess = arena - arena_bytes;
    limit = std::min<uint64_t>(limit, path->live_bytes);
    limit -= std::min(limit, std::max<uint64_t>(1, excess / 2));
  }
  return std::nullopt;
}

// Returns the least limit of any path: the minimum over paths of their largest edge.
uint64_t StripPlanner::least_live() const {
  std::vector<uint64_t> least(edges_.size() + 1, std::numeric_limits<uint64_t>::max());
  least[0] = 0;
  for (size_t step = 0; step < edges_.size(); ++step)
    for (const Edge& edge : edges_[step])
      least[step + 1] =
          std::min(least[step + 1],
                   std::max<uint64_t>(edge.live_bytes, least[static_cast<size_t>(edge.first)]));
  return least.back();
}

// Also tries slightly larger limits, whose plans may have fewer gaps.
uint64_t StripPlanner::smallest_arena() const {
  const uint64_t least = least_live();
  uint64_t smallest = std::numeric_limits<uint64_t>::max();
  for (uint64_t limit = least; limit <= least + least / 8; limit += least / 64 + 1) {
    const auto path = shortest(limit, {});
    if (path) smallest = std::min(smallest, planned_arena(path->groups));
  }
  return smallest;
}

}  // namespace tinytune
