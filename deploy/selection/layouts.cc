#include "deploy/selection/layouts.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "codegen/networks/layout.h"
#include "deploy/selection/layout_transforms.h"

namespace tinytune {
namespace {

constexpr std::pair<std::string_view, LayoutPolicy> kPolicies[] = {
    {"nhwc", LayoutPolicy::kNhwc}, {"nchw", LayoutPolicy::kNchw}, {"auto", LayoutPolicy::kAuto}};

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

// Cycles of kernels and transforms on the device; each transform is measured once.
class LayoutChoice::Measured {
 public:
  Measured(const Device& device, const Records& records) : device_(device), records_(records) {}

  LayoutCosts costs() {
    return {[this](const Workload& w) { return kernel(w); },
            [this](const ImageShape& shape, Layout from) { return transform(shape, from); }};
  }

  // Returns the total of the whole network in given layouts: tunable layers and transforms.
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
      const Result<TransformCycles> cycles = measure_transforms(s, device_);
      // kFailed: two copies do not fit the device, so it cannot run this transform.
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
