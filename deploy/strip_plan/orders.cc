#include "deploy/strip_plan/orders.h"

#include <algorithm>
#include <limits>

#include "codegen/networks/executed_graph.h"

namespace tinytune {
namespace {

bool same_operators(const Graph& a, const Graph& b) {
  return std::equal(a.operators.begin(), a.operators.end(), b.operators.begin(), b.operators.end(),
                    [](const Operator& x, const Operator& y) { return x.index == y.index; });
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
    // With one output row, the group would compute the whole first window at once.
    if (!one_row) one_row = FramesGroup{group, why};
    why = "operator " + std::to_string(group.last) + " makes one row of the whole window";
  }
  if (one_row) return *one_row;
  return Error(ErrorCode::kUnsupported, "the input cannot arrive in frames: " + why);
}

StripOrders::StripOrders(const IntegerNetwork& network, const NetworkOptions& options,
                         const Device& device, InputArrival input,
                         std::optional<bool> constants_in_flash)
    : losses_(device, constants_in_flash) {
  NetworkOptions early = options;
  early.early_shortcuts = true;
  orders_.emplace_back(network, options, input, losses_);
  const LaidOutGraph other = graph_of_groups(network, early);
  if (!same_operators(other.graph, orders_.front().graph().graph) &&
      (input == InputArrival::kWhole || streams_rows(network, early)))
    orders_.emplace_back(network, early, input, losses_);
}

std::optional<StripOrders::Estimated> StripOrders::best_within(uint64_t arena_bytes,
                                                               const SlowWhenLean& slow) const {
  std::optional<Estimated> best;
  for (size_t o = 0; o < orders_.size(); ++o) {
    const auto path = orders_[o].within(arena_bytes, slow);
    if (!path || (best && path->extra_cycles >= best->extra_cycles)) continue;
    best = {{o > 0, path->groups}, path->extra_cycles};
  }
  return best;
}

std::optional<StripPlan> StripOrders::within(uint64_t arena_bytes, const SlowWhenLean& slow) const {
  const auto best = best_within(arena_bytes, slow);
  return best ? std::optional(best->plan) : std::nullopt;
}

// Except for `arena_bytes` itself, the limits do not depend on it.
std::vector<StripPlan> StripOrders::up_to(uint64_t arena_bytes, const SlowWhenLean& slow) const {
  constexpr uint64_t kParts = 48;  // a limit is 1/48 larger than the one before
  std::vector<Estimated> found;
  const auto add = [&](uint64_t limit) {
    auto best = best_within(limit, slow);
    if (best && std::none_of(found.begin(), found.end(),
                             [&](const Estimated& other) { return other.plan == best->plan; }))
      found.push_back(std::move(*best));
  };
  for (uint64_t limit = smallest_arena(); limit < arena_bytes; limit += limit / kParts + 1)
    add(limit);
  add(arena_bytes);
  std::stable_sort(found.begin(), found.end(), [](const Estimated& a, const Estimated& b) {
    return a.extra_cycles < b.extra_cycles;
  });
  std::vector<StripPlan> plans;
  for (Estimated& estimated : found) plans.push_back(std::move(estimated.plan));
  return plans;
}

uint64_t StripOrders::smallest_arena() const {
  uint64_t smallest = std::numeric_limits<uint64_t>::max();
  for (const StripPlanner& order : orders_) smallest = std::min(smallest, order.smallest_arena());
  return smallest;
}

}  // namespace tinytune
