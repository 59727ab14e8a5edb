#include "deploy/strip_search.h"

#include <algorithm>
#include <limits>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/network_memory.h"
#include "codegen/networks/storage.h"

namespace tinytune {
namespace {

// Longer groups were never better: what runs between two small tensors needs no more members.
constexpr int kLongestGroup = 14;
constexpr int kMostRows = 16;

// Of a call beyond the work that it does: entry, and what a kernel does once for each output
// channel before its first pixel.
constexpr int64_t kCyclesOfCall = 150, kCyclesOfChannel = 10;
// Fast kernels compute tiles of four or six pixels. Pixels that fill no tile are computed with
// others for a second time, at about two cycles a product.
constexpr int64_t kTiles[] = {6, 4};
constexpr int64_t kCyclesOfProduct = 2;
constexpr int64_t kBytesMovedInACycle = 2;

int64_t wasted_by_tiles(const Workload& w) {
  if (w.op == OpKind::kDepthwiseConv2d) return 0;
  const int64_t pixels = int64_t{w.out_h} * w.out_w;
  int64_t twice = pixels;
  for (const int64_t tile : kTiles) twice = std::min(twice, (tile - pixels % tile) % tile);
  return twice * w.out_c * w.reduction() * kCyclesOfProduct;
}

uint64_t extra_cycles_of(const StripFlow& flow, const LaidOutGraph& network) {
  int64_t cycles = 0;
  const auto bytes_of = [&](int tensor) { return network.graph.tensor(tensor).bytes(); };
  for (const StripVariant& variant : flow.variants) {
    const Operator& op = network.graph.operators[variant.step];
    const int channels = network.graph.tensor(op.outputs[0]).shape[3];
    int64_t of_call = kCyclesOfCall + kCyclesOfChannel * channels;
    if (const auto* kernel = std::get_if<KernelOp>(&variant.form))
      of_call += wasted_by_tiles(kernel->workload);
    cycles += variant.calls * of_call;
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

Status streams_rows(const IntegerNetwork& network, const NetworkOptions& options) {
  const LaidOutGraph laid = graph_of_groups(network, options);
  const auto cannot = [](const std::string& why) {
    return Error(ErrorCode::kUnsupported, "the input cannot arrive in rows: " + why);
  };
  if (laid.graph.operators.empty()) return cannot("no operator reads it");
  Result<StripFlow> flow = Error(ErrorCode::kUnsupported, "");
  for (const Operator& op : laid.graph.operators) {
    auto longer = strip_flow(laid.graph, laid.ops,
                             {laid.graph.operators[0].index, op.index, 1, InputArrival::kRows});
    if (longer) return ok_status();
    if (&op == &laid.graph.operators[0]) flow = std::move(longer);
  }
  return cannot(flow.error().message());
}

Result<FramesGroup> group_of_frames(const IntegerNetwork& network, const NetworkOptions& options) {
  const LaidOutGraph laid = graph_of_groups(network, options);
  const std::vector<Operator>& operators = laid.graph.operators;
  std::string why = "no operator reads it";
  std::optional<FramesGroup> one_row;
  for (size_t last = operators.size(); last-- > 0;) {
    const StripGroup group{operators[0].index, operators[last].index, 1, InputArrival::kFrames};
    const Result<StripFlow> flow = strip_flow(laid.graph, laid.ops, group);
    if (!flow) {
      why = flow.error().message();
      continue;
    }
    if (flow->maps.back().out_rows > 1) return FramesGroup{group, why};
    // It would compute all of the first window at once, in windows as large.
    if (!one_row) one_row = FramesGroup{group, why};
    why = "operator " + std::to_string(group.last) + " makes one row of the whole window";
  }
  if (one_row) return *one_row;
  return Error(ErrorCode::kUnsupported, "the input cannot arrive in frames: " + why);
}

StripSearch::StripSearch(const IntegerNetwork& network, const NetworkOptions& options,
                         InputArrival input)
    : network_(network),
      options_(options),
      input_(input),
      laid_out_(graph_of_groups(network, options)) {
  options_.strips.clear();
  edges_.resize(laid_out_.ops.size());
  add_layers();
  for (int step = 0; step < static_cast<int>(laid_out_.ops.size()); ++step) add_groups_from(step);
}

void StripSearch::add_layers() {
  const auto buffers = assign_storage(laid_out_.graph, laid_out_.ops).buffers;
  for (int step = input_ == InputArrival::kRows ? 1 : 0; step < static_cast<int>(edges_.size());
       ++step)
    edges_[static_cast<size_t>(step)].push_back({step, step, 0, live_bytes(buffers, step), 0});
}

// A height that needs no less memory than another with fewer cycles is not worth an edge.
void StripSearch::add_groups_from(int first) {
  const Graph& graph = laid_out_.graph;
  const int end = std::min(static_cast<int>(edges_.size()), first + kLongestGroup);
  for (int last = first; last < end; ++last) {
    const Operator& op = graph.operators[static_cast<size_t>(last)];
    const auto map = row_map(graph, op, laid_out_.ops[static_cast<size_t>(last)]);
    if (!map) return;  // nor does a longer group have it
    std::vector<Edge> kept;
    for (int rows = std::min(kMostRows, map->out_rows - 1); rows >= 1; --rows) {
      const int first_index = graph.operators[static_cast<size_t>(first)].index;
      const auto flow =
          strip_flow(graph, laid_out_.ops, {first_index, op.index, rows, arrival_at(first)});
      if (!flow) continue;
      const auto buffers = assign_storage(graph, laid_out_.ops, {&*flow, 1}).buffers;
      Edge edge{first, last, rows, 0, extra_cycles_of(*flow, laid_out_)};
      for (int step = first; step <= last; ++step)
        edge.live_bytes = std::max(edge.live_bytes, live_bytes(buffers, step));
      const bool is_beaten = std::any_of(kept.begin(), kept.end(), [&](const Edge& other) {
        return other.live_bytes <= edge.live_bytes && other.extra_cycles <= edge.extra_cycles;
      });
      if (!is_beaten) kept.push_back(edge);
    }
    auto& edges = edges_[static_cast<size_t>(last)];
    edges.insert(edges.end(), kept.begin(), kept.end());
  }
}

std::optional<StripSearch::Path> StripSearch::shortest(uint64_t live_limit) const {
  constexpr uint64_t kUnreached = std::numeric_limits<uint64_t>::max();
  std::vector<uint64_t> cycles(edges_.size() + 1, kUnreached);  // before each step, and at the end
  std::vector<const Edge*> taken(edges_.size() + 1, nullptr);
  cycles[0] = 0;
  for (size_t step = 0; step < edges_.size(); ++step)
    for (const Edge& edge : edges_[step]) {
      const uint64_t before = cycles[static_cast<size_t>(edge.first)];
      if (edge.live_bytes > live_limit || before == kUnreached) continue;
      if (before + edge.extra_cycles >= cycles[step + 1]) continue;
      cycles[step + 1] = before + edge.extra_cycles;
      taken[step + 1] = &edge;
    }
  if (cycles.back() == kUnreached) return std::nullopt;
  Path path;
  for (size_t at = edges_.size(); at > 0; at = static_cast<size_t>(taken[at]->first)) {
    const Edge& edge = *taken[at];
    path.live_bytes = std::max(path.live_bytes, edge.live_bytes);
    if (edge.rows == 0) continue;
    const auto& operators = laid_out_.graph.operators;
    path.groups.push_back({operators[static_cast<size_t>(edge.first)].index,
                           operators[static_cast<size_t>(edge.last)].index, edge.rows,
                           arrival_at(edge.first)});
  }
  std::reverse(path.groups.begin(), path.groups.end());
  return path;
}

uint64_t StripSearch::planned_arena(const std::vector<StripGroup>& groups) const {
  NetworkOptions options = options_;
  options.strips = groups;
  const NetworkMemory memory = network_memory(network_, options);
  return memory.arena_bytes(std::vector<uint32_t>(memory.layers.size(), 0));
}

std::optional<std::vector<StripGroup>> StripSearch::within(uint64_t arena_bytes) const {
  uint64_t limit = arena_bytes;
  while (const auto path = shortest(limit)) {
    const uint64_t arena = planned_arena(path->groups);
    if (arena <= arena_bytes) return path->groups;
    const uint64_t excess = arena - arena_bytes;
    limit = std::min<uint64_t>(limit, path->live_bytes) -
            std::min(limit, std::max<uint64_t>(1, excess / 2));
  }
  return std::nullopt;
}

// The least limit that any path keeps: the smallest of the largest edges.
uint64_t StripSearch::least_live() const {
  std::vector<uint64_t> least(edges_.size() + 1, std::numeric_limits<uint64_t>::max());
  least[0] = 0;
  for (size_t step = 0; step < edges_.size(); ++step)
    for (const Edge& edge : edges_[step])
      least[step + 1] =
          std::min(least[step + 1],
                   std::max<uint64_t>(edge.live_bytes, least[static_cast<size_t>(edge.first)]));
  return least.back();
}

// A plan of slightly larger steps may have fewer gaps.
uint64_t StripSearch::smallest_arena() const {
  const uint64_t least = least_live();
  uint64_t smallest = std::numeric_limits<uint64_t>::max();
  for (uint64_t limit = least; limit <= least + least / 8; limit += least / 64 + 1) {
    const auto path = shortest(limit);
    if (path) smallest = std::min(smallest, planned_arena(path->groups));
  }
  return smallest;
}

}  // namespace tinytune
