#include "tinytune/model.h"

#include <utility>

#include "base/sha256.h"
#include "codegen/networks/names.h"
#include "codegen/networks/network_memory.h"
#include "codegen/passes/passes.h"
#include "deploy/model/model_state.h"
#include "models/external_operator.h"
#include "models/model_file.h"
#include "models/tflite/model.h"

namespace tinytune {
namespace {

TensorInfo info_of(const Tensor& tensor) {
  return {tensor.id, tensor.name, std::string(name_of(tensor.type)), tensor.shape, tensor.bytes()};
}

std::vector<TensorInfo> info_of(const Graph& graph, const std::vector<int>& ids) {
  std::vector<TensorInfo> tensors;
  for (int id : ids)
    if (id >= 0 && !graph.tensor(id).is_constant) tensors.push_back(info_of(graph.tensor(id)));
  return tensors;
}

TensorInfo info_of(const TensorSummary& tensor) {
  return {tensor.id, tensor.name, tensor.type, tensor.shape, tensor.bytes};
}

std::vector<TensorInfo> info_of(const ModelSummary& summary, const std::vector<int>& ids) {
  std::vector<TensorInfo> tensors;
  for (int id : ids)
    if (id >= 0 && static_cast<size_t>(id) < summary.tensors.size())
      tensors.push_back(info_of(summary.tensors[static_cast<size_t>(id)]));
  return tensors;
}

std::vector<TensorDetails> details_of(const ModelSummary& summary) {
  std::vector<TensorDetails> tensors;
  for (const TensorSummary& tensor : summary.tensors) {
    const Quantization& quantization = tensor.quantization;
    tensors.push_back({info_of(tensor), tensor.is_constant, quantization.scales,
                       quantization.zero_points, quantization.axis});
  }
  return tensors;
}

ModelInfo describe(const ModelSummary& summary) {
  ModelInfo info;
  info.name = network_name(summary.name);
  info.inputs = info_of(summary, summary.inputs);
  info.outputs = info_of(summary, summary.outputs);
  info.macs = info.macs_executed = summary.macs;
  for (const OperatorSummary& op : summary.operators) {
    info.operators.push_back({op.index, op.name, info_of(summary, op.inputs),
                              info_of(summary, op.outputs), op.macs, op.macs, std::nullopt});
  }
  return info;
}

}  // namespace

ModelInfo describe_model(const Graph& graph, const IntegerNetwork& executed,
                         const std::vector<Task>& tasks) {
  ModelInfo info;
  info.name = network_name(graph.name);
  info.inputs = info_of(graph, graph.inputs);
  info.outputs = info_of(graph, graph.outputs);
  for (const Operator& op : graph.operators) {
    const int64_t macs = executed.model_macs[static_cast<size_t>(op.index)];
    info.operators.push_back({op.index, std::string(name_of(op.kind)), info_of(graph, op.inputs),
                              info_of(graph, op.outputs), macs, 0, std::nullopt});
    info.macs += macs;
  }
  for (size_t step = 0; step < executed.ops.size(); ++step) {
    const auto index = static_cast<size_t>(executed.graph.operators[step].index);
    const int64_t macs = macs_of(executed.ops[step]);
    info.operators.at(index).macs_executed = macs;
    info.macs_executed += macs;
  }
  info.arena_lower_bound = network_memory(executed, {info.name}).lower_bound;
  for (const Task& task : tasks) {
    const int index = static_cast<int>(info.tasks.size());
    info.tasks.push_back(
        {index, task.name, to_text(task.workload), task.layers, task.workload.macs()});
    for (int layer : task.layers) info.operators.at(static_cast<size_t>(layer)).task = index;
  }
  return info;
}

std::vector<PassInfo> known_passes() {
  std::vector<PassInfo> passes;
  for (const GraphPass& pass : graph_passes())
    passes.push_back({std::string(pass.name), std::string(pass.description)});
  return passes;
}

Result<Inspection> inspect_model(const std::string& path, const LoadOptions& options) {
  TT_TRY_ASSIGN(const auto externals, read_externals(options.externals));
  TT_TRY_ASSIGN(const ModelSummary summary,
                summarise_model(path, {externals, options.input_types, options.states}));
  Inspection inspection{.tensors = details_of(summary), .refusal = summary.refusal};
  if (summary.unsupported.empty()) {
    TT_TRY_ASSIGN(const Model model, Model::load(path, options));
    inspection.info = model.info();
    return inspection;
  }
  inspection.info = describe(summary);
  for (const Unsupported& what : summary.unsupported)
    inspection.unsupported.push_back({what.index, what.name, what.reason});
  return inspection;
}

Result<Model> Model::load(const std::string& path, const LoadOptions& options) {
  TT_TRY(check_pass_names(options.disabled_passes));
  auto state = std::make_shared<State>();
  state->path = path;
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_model_file(path));
  state->sha256 = sha256(bytes);
  TT_TRY_ASSIGN(const auto externals, read_externals(options.externals));
  TT_TRY_ASSIGN(state->graph,
                import_model(bytes, path, {externals, options.input_types, options.states}));
  for (const ExternalFunction& function : state->graph.externals)
    if ((function.name + "_").starts_with(network_name(state->graph.name) + "_"))
      return Error(ErrorCode::kInvalidInput, "--external " + function.name +
                                                 ".h: functions of the generated library begin so; "
                                                 "call it something else");
  Result<IntegerNetwork> network = executed_network(state->graph, options.disabled_passes);
  if (!network) return network.error().within(path);
  state->network = std::move(network).value();
  state->tasks = extract_tasks(state->network);
  state->info = describe_model(state->graph, state->network, state->tasks);
  return Model(std::move(state));
}

const std::string& Model::path() const { return state_->path; }
const ModelInfo& Model::info() const { return state_->info; }

}  // namespace tinytune
