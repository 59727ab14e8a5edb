#include "tuner/layouts.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "codegen/layout.h"
#include "tuner/network_simulation.h"

namespace tinytune {
namespace {

constexpr std::pair<std::string_view, LayoutPolicy> kPolicies[] = {
    {"nhwc", LayoutPolicy::kNhwc}, {"nchw", LayoutPolicy::kNchw}, {"auto", LayoutPolicy::kAuto}};

// Dearer than any kernel, cheaper than a kernel that was never measured.
constexpr uint64_t kImpossible = uint64_t{1} << 40;

Tensor int8_tensor(int id, std::vector<int> shape) {
  Tensor tensor;
  tensor.id = id;
  tensor.name = "t" + std::to_string(id);
  tensor.shape = std::move(shape);
  tensor.quantization = {{1.0F}, {0}, 0};
  return tensor;
}

Tensor axes_tensor(int id, const std::vector<uint8_t>& axes) {
  Tensor tensor = int8_tensor(id, {static_cast<int>(axes.size())});
  tensor.type = ElementType::kInt32;
  tensor.quantization = {};
  tensor.is_constant = true;
  for (const uint8_t axis : axes) tensor.data.insert(tensor.data.end(), {axis, 0, 0, 0});
  return tensor;
}

// An image to NCHW and back.
Graph there_and_back(const ImageShape& s) {
  Graph graph;
  graph.name = "transform";
  graph.tensors = {
      int8_tensor(0, {s.batch, s.rows, s.columns, s.channels}), axes_tensor(1, {0, 3, 1, 2}),
      int8_tensor(2, {s.batch, s.channels, s.rows, s.columns}), axes_tensor(3, {0, 2, 3, 1}),
      int8_tensor(4, {s.batch, s.rows, s.columns, s.channels})};
  for (int i = 0; i < 2; ++i) {
    Operator op;
    op.index = i;
    op.kind = OperatorKind::kTranspose;
    op.inputs = {2 * i, 2 * i + 1};
    op.outputs = {2 * i + 2};
    graph.operators.push_back(std::move(op));
  }
  graph.inputs = {0};
  graph.outputs = {4};
  return graph;
}

struct TransformCycles {
  uint64_t to_nchw = kImpossible, to_nhwc = kImpossible;
};

Result<TransformCycles> measure(const ImageShape& shape, const Device& device) {
  const Graph graph = there_and_back(shape);
  TT_TRY_ASSIGN(const IntegerNetwork transform, integer_network(graph));
  NetworkOptions options;
  options.name = graph.name;
  TT_TRY_ASSIGN(const GeneratedNetwork network, generate_network(transform, device, {}, options));
  TT_TRY_ASSIGN(NetworkSimulation simulation, NetworkSimulation::load(graph, network, device));
  const std::vector<std::vector<uint8_t>> inputs = {
      std::vector<uint8_t>(static_cast<size_t>(graph.tensor(0).bytes()))};
  TT_TRY_ASSIGN(const RunReport report, simulation.invoke(inputs));
  return TransformCycles{report.layers[0].cycles, report.layers[1].cycles};
}

}  // namespace

Result<LayoutPolicy> parse_layout_policy(std::string_view text) {
  for (const auto& [name, policy] : kPolicies)
    if (name == text) return policy;
  return Error(ErrorCode::kInvalidInput,
               "--layout is nhwc, nchw or auto, not '" + std::string(text) + "'");
}

std::string_view name_of(LayoutPolicy policy) {
  for (const auto& [name, value] : kPolicies)
    if (value == policy) return name;
  return "";
}

std::vector<Task> tasks_in(const std::vector<Task>& tasks, LayoutPolicy policy) {
  std::vector<Task> all = policy == LayoutPolicy::kAuto ? tasks : std::vector<Task>();
  if (policy == LayoutPolicy::kNhwc) return tasks;
  for (const Task& task : tasks) {
    const bool has_layout = task.workload.op != OpKind::kDense;
    if (!has_layout && policy == LayoutPolicy::kAuto) continue;
    all.push_back(task);
    if (!has_layout) continue;
    all.back().workload.layout = Layout::kNchw;
    all.back().name += " nchw";
  }
  return all;
}

// What kernels and transforms cost on the device, each found out once.
class LayoutChoice::Measured {
 public:
  Measured(const Device& device, const Records& records) : device_(device), records_(records) {}

  LayoutCosts costs() {
    return {[this](const Workload& w) { return kernel(w); },
            [this](const ImageShape& shape, Layout from) { return transform(shape, from); }};
  }

  // Of the whole network in given layouts: tunable layers and transforms.
  LayoutTotal total(const Graph& graph, std::span<const IntegerOp> ops,
                    const std::vector<Layout>& layouts) {
    const LaidOutGraph laid_out = lay_out(graph, {ops.begin(), ops.end()}, layouts);
    LayoutTotal total;
    uint64_t kernels = 0;
    bool complete = true;
    for (size_t i = 0; i < laid_out.ops.size(); ++i) {
      const Operator& op = laid_out.graph.operators[i];
      if (op.index == kTransformIndex) {
        const Layout to = laid_out.layout_of[static_cast<size_t>(op.outputs[0])];
        const Layout from = to == Layout::kNhwc ? Layout::kNchw : Layout::kNhwc;
        const std::vector<int>& s = laid_out.graph.tensor(op.outputs[0]).shape;
        const ImageShape shape = to == Layout::kNhwc ? ImageShape{s[0], s[1], s[2], s[3]}
                                                     : ImageShape{s[0], s[2], s[3], s[1]};
        total.transform_cycles += transform(shape, from);
        ++total.transforms;
      } else if (const auto* op_kernel = std::get_if<KernelOp>(&laid_out.ops[i])) {
        const auto cycles = kernel(op_kernel->workload);
        complete = complete && cycles.has_value();
        kernels += cycles.value_or(0);
      }
    }
    if (complete) total.cycles = kernels + total.transform_cycles;
    return total;
  }

  std::optional<uint64_t> kernel(const Workload& workload) const {
    const Measurement* best = records_.best(to_text(workload));
    return best == nullptr ? std::nullopt : best->median_cycles();
  }

  const Status& status() const { return status_; }

 private:
  uint64_t transform(const ImageShape& s, Layout from) {
    const auto key = std::tuple(s.batch, s.rows, s.columns, s.channels);
    auto known = transforms_.find(key);
    if (known == transforms_.end()) {
      const Result<TransformCycles> cycles = measure(s, device_);
      // kFailed: two copies do not fit the device, so there is no such transform on it.
      if (!cycles && cycles.error().code() != ErrorCode::kFailed && status_)
        status_ = cycles.error().within("measuring layout transforms");
      known = transforms_.emplace(key, cycles ? *cycles : TransformCycles()).first;
    }
    return from == Layout::kNhwc ? known->second.to_nchw : known->second.to_nhwc;
  }

  const Device& device_;
  const Records& records_;
  std::map<std::tuple<int, int, int, int>, TransformCycles> transforms_;
  Status status_ = ok_status();
};

LayoutChoice::LayoutChoice(LayoutPolicy policy, const Device& device, const Records& records)
    : policy_(policy), measured_(std::make_unique<Measured>(device, records)) {}

LayoutChoice::~LayoutChoice() = default;

Status LayoutChoice::status() const { return measured_->status(); }
const LayoutComparison& LayoutChoice::comparison() const { return comparison_; }

LayoutSource LayoutChoice::source() {
  if (policy_ == LayoutPolicy::kNhwc) return {};
  return [this](const Graph& graph, std::span<const IntegerOp> ops) {
    const std::vector<Layout> nhwc(ops.size(), Layout::kNhwc);
    const std::vector<Layout> nchw = choose_layouts(graph, ops, all_nchw_costs()).layouts;
    const std::vector<Layout> chosen = policy_ == LayoutPolicy::kNchw
                                           ? nchw
                                           : choose_layouts(graph, ops, measured_->costs()).layouts;
    comparison_ = {};
    comparison_.chosen = measured_->total(graph, ops, chosen);
    comparison_.all_nhwc = measured_->total(graph, ops, nhwc);
    comparison_.all_nchw = measured_->total(graph, ops, nchw);
    for (size_t i = 0; i < ops.size(); ++i) {
      LayoutComparison::Layer layer{
          graph.operators[i].index,
          chosen[i] == Layout::kNhwc ? LayoutPolicy::kNhwc : LayoutPolicy::kNchw, std::nullopt,
          std::nullopt};
      if (const auto* op = std::get_if<KernelOp>(&ops[i])) {
        Workload workload = op->workload;
        layer.nhwc_cycles = measured_->kernel(workload);
        workload.layout = Layout::kNchw;
        if (workload.op != OpKind::kDense) layer.nchw_cycles = measured_->kernel(workload);
      }
      comparison_.layers.push_back(layer);
    }
    return chosen;
  };
}

}  // namespace tinytune
