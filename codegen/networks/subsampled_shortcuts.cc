#include "codegen/networks/subsampled_shortcuts.h"

#include <algorithm>
#include <utility>

#include "models/operator_kind.h"

namespace tinytune {
namespace {

bool reads_few_pixels(const Workload& w) {
  const bool is_pointwise = w.op == OpKind::kConv2d && w.kernel_h == 1 && w.kernel_w == 1;
  const bool stays_inside = w.pad_top == 0 && w.pad_left == 0 &&
                            (w.out_h - 1) * w.stride_h < w.in_h &&
                            (w.out_w - 1) * w.stride_w < w.in_w;
  return is_pointwise && stays_inside && w.layout == Layout::kNhwc && w.stride_h * w.stride_w > 1;
}

MoveOp copy_of_pixels(const Workload& w) {
  MoveOp::Box box;
  box.extents = {1, w.batch, w.out_h, w.out_w, w.in_c};
  const int64_t row = int64_t{w.in_w} * w.in_c;
  box.input_steps = {0, w.in_h * row, w.stride_h * row, int64_t{w.stride_w} * w.in_c, 1};
  const int64_t out_row = int64_t{w.out_w} * w.in_c;
  box.output_steps = {0, w.out_h * out_row, out_row, w.in_c, 1};
  MoveOp move;
  move.boxes = {box};
  move.output_elements = {w.batch * w.out_h * out_row};
  return move;
}

bool is_read_by_others(const Graph& graph, int tensor, const Operator& reader) {
  return std::any_of(graph.operators.begin(), graph.operators.end(), [&](const Operator& other) {
    return &other != &reader &&
           std::find(other.inputs.begin(), other.inputs.end(), tensor) != other.inputs.end();
  });
}

int add_tensor(LaidOutGraph& network, int source, const Workload& w) {
  Tensor copy = network.graph.tensor(source);
  copy.id = static_cast<int>(network.graph.tensors.size());
  copy.name += "_subsampled";
  copy.shape = {w.batch, w.out_h, w.out_w, w.in_c};
  network.graph.tensors.push_back(std::move(copy));
  network.layout_of.push_back(Layout::kNhwc);
  return network.graph.tensors.back().id;
}

// Makes the convolution at `step` read a copy, which is made right before it.
void read_copy(LaidOutGraph& network, size_t step) {
  Workload& w = std::get<KernelOp>(network.ops[step]).workload;
  int& input = network.graph.operators[step].inputs[0];
  Operator copies;
  copies.index = kTransformIndex;
  copies.kind = OperatorKind::kStridedSlice;
  copies.inputs = {input};
  copies.outputs = {input = add_tensor(network, input, w)};
  IntegerOp form = copy_of_pixels(w);
  w.in_h = w.out_h, w.in_w = w.out_w;
  w.stride_h = w.stride_w = 1;
  const auto at = static_cast<std::ptrdiff_t>(step);
  network.graph.operators.insert(network.graph.operators.begin() + at, std::move(copies));
  network.ops.insert(network.ops.begin() + at, std::move(form));
}

}  // namespace

void subsample_shortcuts(LaidOutGraph& network) {
  for (size_t step = 0; step < network.ops.size(); ++step) {
    const auto* kernel = std::get_if<KernelOp>(&network.ops[step]);
    if (kernel == nullptr || !reads_few_pixels(kernel->workload)) continue;
    const Operator& op = network.graph.operators[step];
    if (is_read_by_others(network.graph, op.inputs[0], op)) read_copy(network, step++);
  }
}

}  // namespace tinytune
