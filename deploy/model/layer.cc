// Layer: a network of one operator, made from a description.
#include "tinytune/layer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "codegen/networks/names.h"
#include "codegen/networks/network_memory.h"
#include "codegen/passes/restate_layers.h"
#include "deploy/model/model_state.h"
#include "models/generated_constants.h"
#include "models/operator_kind.h"
#include "models/quantise.h"
#include "models/workload_description.h"
#include "schedules/check_constants.h"
#include "schedules/weight_facts.h"

namespace tinytune {
namespace {

OperatorKind kind_of(OpKind op) {
  switch (op) {
    case OpKind::kConv2d:
      return OperatorKind::kConv2d;
    case OpKind::kDepthwiseConv2d:
      return OperatorKind::kDepthwiseConv2d;
    case OpKind::kDense:
      return OperatorKind::kFullyConnected;
  }
  return OperatorKind::kConv2d;
}

Tensor image(int id, std::string name, const Workload& w, int height, int width, int channels,
             int zero_point) {
  Tensor tensor;
  tensor.id = id;
  tensor.name = std::move(name);
  tensor.shape = w.op == OpKind::kDense ? std::vector<int>{w.batch, channels}
                                        : std::vector<int>{w.batch, height, width, channels};
  tensor.quantization = {{1.0F}, {zero_point}, 0};
  return tensor;
}

/// Returns a network whose graph has only structure; the arithmetic is in the operator's integer
/// form.
IntegerNetwork network_of(const KernelOp& op) {
  const Workload& w = op.workload;
  IntegerNetwork network;
  network.graph.name = short_name(w);
  network.graph.tensors = {image(0, "input", w, w.in_h, w.in_w, w.in_c, w.input_zero_point),
                           image(1, "output", w, w.out_h, w.out_w, w.out_c, w.output_zero_point)};
  network.graph.operators = {{0, kind_of(w.op), {0}, {1}, {}}};
  network.graph.inputs = {0};
  network.graph.outputs = {1};
  network.ops = {op};
  network.model_macs = {w.macs()};
  network.altered = {false, false};
  return network;
}

Result<LayerData> data_of(const LayerConstants& given, const Workload& workload) {
  LayerData data{given.weights, given.bias, given.multiplier, given.shift, {}};
  if (workload.rounding == Rounding::kMultiplyAdd)  // to nearest
    for (const int32_t shift : given.shift)
      data.addend.push_back(int64_t{1} << std::clamp(30 - shift, 0, 61));
  if (data.bias.empty()) data.bias.assign(static_cast<size_t>(workload.out_c), 0);
  const Status belongs = check_constants(workload, data);
  if (!belongs) return belongs.error().within("constants");
  return data;
}

Result<LayerData> constants_for(const WorkloadDescription& described, const LayerOptions& options) {
  const Workload& workload = described.workload;
  if (!options.constants) {
    if (described.states_facts) return generate_constants_with_facts(workload, options.seed);
    return generate_constants(workload, options.seed);
  }
  TT_TRY_ASSIGN(LayerData data, data_of(*options.constants, workload));
  if (described.states_facts && !facts_hold(workload, data))
    return Error(ErrorCode::kInvalidInput,
                 "constants: lane" + std::to_string(workload.facts.lane_group) + " " +
                     std::string(name_of(workload.facts.requantise)) + " does not hold of them");
  return data;
}

}  // namespace

Result<FixedPoint> fixed_point(double scale) {
  if (!std::isfinite(scale) || scale < 0 || scale > kLargestMultiplier)
    return Error(ErrorCode::kInvalidInput, "a scale is from 0 to 2^29");
  const QuantizedMultiplier fixed = quantize_multiplier(scale);
  return FixedPoint{fixed.multiplier, fixed.shift};
}

Result<Layer> Layer::describe(std::string_view description, const LayerOptions& options) {
  TT_TRY_ASSIGN(WorkloadDescription described, describe_workload(description));
  Workload& workload = described.workload;
  TT_TRY_ASSIGN(LayerData data, constants_for(described, options));
  if (!described.states_facts) workload.facts = prove_facts(workload, data);
  auto state = std::make_shared<Model::State>();
  state->path = short_name(workload);
  KernelOp op = restated({workload, std::move(data)});
  const std::string line = to_text(op.workload);
  op.workload.layout = Layout::kNhwc;  // networks are NHWC; the layout policy selects NCHW kernels
  state->network = network_of(op);
  state->graph = state->network.graph;
  state->stands_alone = true;
  state->tasks = extract_tasks(state->network);
  state->info = describe_model(state->graph, state->network, state->tasks);
  return Layer(Model(std::move(state)), line);
}

const std::string& Layer::name() const { return model_.path(); }
const std::string& Layer::workload() const { return workload_; }

}  // namespace tinytune
