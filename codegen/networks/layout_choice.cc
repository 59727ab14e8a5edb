#include <algorithm>
#include <limits>
#include <map>

#include "base/check.h"
#include "codegen/networks/layout.h"
#include "models/control_flow.h"

namespace tinytune {
namespace {

// Exceeds any sum of measured costs, so that measured kernels win; doubled for NCHW, so that a
// layer that was measured in neither layout stays NHWC.
constexpr uint64_t kUnmeasured = uint64_t{1} << 48;

// More states than this need a dozen image tensors alive at once; the cheapest ones are kept then.
constexpr size_t kMostStates = 4096;

constexpr uint8_t bit(Layout layout) { return layout == Layout::kNhwc ? 1 : 2; }

Layout other(Layout layout) { return layout == Layout::kNhwc ? Layout::kNchw : Layout::kNhwc; }

bool contains(const std::vector<int>& ids, int id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Whether element i of the output depends only on elements i of the inputs, in any layout.
bool is_pointwise(const IntegerOp& op) {
  const auto plain = [](const auto& o) {
    return o.broadcast.equal_shapes && o.constants[0].empty() && o.constants[1].empty();
  };
  if (const auto* add = std::get_if<AddOp>(&op)) return plain(*add);
  if (const auto* add = std::get_if<SteppedAddOp>(&op)) return plain(*add);
  if (const auto* mul = std::get_if<MulOp>(&op)) return plain(*mul);
  if (const auto* extremum = std::get_if<ExtremumOp>(&op)) return plain(*extremum);
  return std::holds_alternative<LookupOp>(op);
}

// State stays NHWC between inferences, and no transform is inserted before its readers.
bool touches_state(const Graph& graph, const Operator& op) {
  const auto is_state = [&](int id) { return id >= 0 && graph.tensor(id).is_variable; };
  return std::any_of(op.inputs.begin(), op.inputs.end(), is_state) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), is_state);
}

// Whether input and output are images. Rows of a matrix may be a workload's pixels
// (codegen/passes/restate_layers.h), but a matrix always has its channels innermost.
bool is_of_images(const Graph& graph, const Operator& op, const Workload& w) {
  const auto holds = [](const Tensor& t, int pixels, int channels) {
    return t.shape.size() == 4 && t.shape[3] == channels &&
           t.elements() == int64_t{t.shape[0]} * pixels * channels;
  };
  const Tensor& input = graph.tensor(op.inputs[0]);
  return w.op != OpKind::kDense && holds(input, w.in_h * w.in_w, w.in_c) &&
         input.shape[0] == w.batch &&
         holds(graph.tensor(op.outputs[0]), w.out_h * w.out_w, w.out_c);
}

bool takes_nchw(const Graph& graph, const Operator& op, const IntegerOp& form) {
  if (touches_state(graph, op)) return false;
  if (const auto* kernel = std::get_if<KernelOp>(&form))
    return is_of_images(graph, op, kernel->workload);
  if (!is_pointwise(form)) return false;
  const auto is_image = [&](int id) { return image_of(graph.tensor(id)).has_value(); };
  return std::all_of(op.inputs.begin(), op.inputs.end(), is_image) &&
         std::all_of(op.outputs.begin(), op.outputs.end(), is_image);
}

class Chooser {
 public:
  Chooser(const Graph& graph, std::span<const IntegerOp> ops, const LayoutCosts& costs)
      : graph_(graph),
        ops_(ops),
        costs_(costs),
        branches_(has_control_flow(graph)),
        last_use_(graph.tensors.size(), 0) {
    for (size_t step = 0; step < ops.size(); ++step)
      for (const int id : graph.operators[step].inputs)
        if (id >= 0) last_use_[static_cast<size_t>(id)] = step;
  }

  LayoutPlan run() {
    State start;
    for (const int id : graph_.inputs)
      if (image_of(graph_.tensor(id))) start[id] = bit(Layout::kNhwc);
    nodes_.push_back({0, 0, 0, Layout::kNhwc});
    Frontier frontier = {{start, 0}};
    for (size_t step = 0; step < ops_.size(); ++step) frontier = advance(frontier, step);
    const auto best =
        std::min_element(frontier.begin(), frontier.end(), [&](const auto& a, const auto& b) {
          return nodes_[a.second].cost < nodes_[b.second].cost;
        });
    LayoutPlan plan;
    plan.transform_cycles = nodes_[best->second].transforms;
    for (size_t at = best->second; at != 0; at = nodes_[at].parent)
      plan.layouts.push_back(nodes_[at].layout);
    std::reverse(plan.layouts.begin(), plan.layouts.end());
    return plan;
  }

 private:
  using State = std::map<int, uint8_t>;  // live image tensors → layouts that exist
  struct Node {
    uint64_t cost, transforms;
    size_t parent;
    Layout layout;
  };
  using Frontier = std::map<State, size_t>;

  Frontier advance(const Frontier& before, size_t step) {
    const Operator& op = graph_.operators[step];
    const bool both = !branches_ && takes_nchw(graph_, op, ops_[step]);
    Frontier after;
    for (const auto& [state, node] : before)
      for (const Layout layout : {Layout::kNhwc, Layout::kNchw}) {
        if (layout == Layout::kNchw && !both) continue;
        State next = state;
        const uint64_t transforms = apply(op, layout, next);
        forget_dead(next, step);
        const uint64_t cost = nodes_[node].cost + transforms + kernel_cost(step, layout);
        const auto [known, is_new] = after.try_emplace(std::move(next), nodes_.size());
        if (is_new)
          nodes_.push_back({cost, nodes_[node].transforms + transforms, node, layout});
        else if (cost < nodes_[known->second].cost)
          nodes_[known->second] = {cost, nodes_[node].transforms + transforms, node, layout};
      }
    return pruned(std::move(after));
  }

  uint64_t kernel_cost(size_t step, Layout layout) const {
    const auto* kernel = std::get_if<KernelOp>(&ops_[step]);
    if (kernel == nullptr || !takes_nchw(graph_, graph_.operators[step], ops_[step])) return 0;
    Workload workload = kernel->workload;
    workload.layout = layout;
    const uint64_t unmeasured = layout == Layout::kNhwc ? kUnmeasured : 2 * kUnmeasured;
    return costs_.kernel(workload).value_or(unmeasured);
  }

  uint64_t transform(int tensor, Layout from) const {
    return costs_.transform(*image_of(graph_.tensor(tensor)), from);
  }

  // Returns the cycles of the transforms that the operator needs in this layout; updates `state`.
  uint64_t apply(const Operator& op, Layout layout, State& state) const {
    uint64_t cycles = 0;
    for (const int id : op.inputs) {
      const auto input = state.find(id);
      if (input == state.end() || (input->second & bit(layout)) != 0) continue;
      cycles += transform(id, other(layout));
      input->second |= bit(layout);
    }
    for (const int id : op.outputs) {
      if (!image_of(graph_.tensor(id))) continue;
      state[id] = bit(layout);
      if (layout == Layout::kNhwc || !contains(graph_.outputs, id)) continue;
      cycles += transform(id, layout);
      state[id] |= bit(Layout::kNhwc);
    }
    return cycles;
  }

  void forget_dead(State& state, size_t step) const {
    std::erase_if(state, [&](const auto& entry) {
      return last_use_[static_cast<size_t>(entry.first)] <= step;
    });
  }

  Frontier pruned(Frontier frontier) const {
    if (frontier.size() <= kMostStates) return frontier;
    std::vector<uint64_t> costs;
    for (const auto& [state, node] : frontier) costs.push_back(nodes_[node].cost);
    std::nth_element(costs.begin(), costs.begin() + kMostStates, costs.end());
    std::erase_if(frontier, [&](const auto& entry) {
      return nodes_[entry.second].cost > costs[kMostStates];
    });
    return frontier;
  }

  const Graph& graph_;
  std::span<const IntegerOp> ops_;
  const LayoutCosts& costs_;
  const bool branches_;  // control flow: a transform in one branch would be missing after it
  std::vector<size_t> last_use_;
  std::vector<Node> nodes_;
};

}  // namespace

std::optional<ImageShape> image_of(const Tensor& t) {
  if (t.is_constant || t.is_variable || t.shape.size() != 4 || size_of(t.type) != 1)
    return std::nullopt;
  const ImageShape shape{t.shape[0], t.shape[1], t.shape[2], t.shape[3]};
  return layout_is_free(shape) ? std::nullopt : std::optional(shape);
}

LayoutCosts all_nchw_costs() {
  return {[](const Workload& w) {
            return w.layout == Layout::kNchw ? std::optional<uint64_t>(0) : std::nullopt;
          },
          [](const ImageShape& s, Layout) {
            return uint64_t(s.batch) * static_cast<uint64_t>(s.rows) *
                   static_cast<uint64_t>(s.columns) * static_cast<uint64_t>(s.channels);
          }};
}

LayoutPlan choose_layouts(const Graph& graph, std::span<const IntegerOp> ops,
                          const LayoutCosts& costs) {
  TT_CHECK(graph.operators.size() == ops.size(), "one form per operator");
  return Chooser(graph, ops, costs).run();
}

}  // namespace tinytune
