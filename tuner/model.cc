#include "tinytune/model.h"

#include <utility>

#include "models/integer_op.h"
#include "models/summary.h"
#include "models/tflite.h"
#include "tuner/model_state.h"

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

Result<ModelInfo> describe(const Graph& graph, const std::vector<Task>& tasks) {
  ModelInfo info;
  info.name = graph.name;
  info.inputs = info_of(graph, graph.inputs);
  info.outputs = info_of(graph, graph.outputs);
  for (const Operator& op : graph.operators) {
    TT_TRY_ASSIGN(const IntegerOp integer, prepare(graph, op));
    info.operators.push_back({op.index, std::string(name_of(op.kind)), info_of(graph, op.inputs),
                              info_of(graph, op.outputs), macs_of(integer), std::nullopt});
    info.macs += info.operators.back().macs;
  }
  for (const Task& task : tasks) {
    const int index = static_cast<int>(info.tasks.size());
    info.tasks.push_back(
        {index, task.name, to_text(task.workload), task.layers, task.workload.macs()});
    for (int layer : task.layers) info.operators.at(static_cast<size_t>(layer)).task = index;
  }
  return info;
}

std::vector<TensorInfo> info_of(const ModelSummary& summary, const std::vector<int>& ids) {
  std::vector<TensorInfo> tensors;
  for (int id : ids) {
    if (id < 0 || static_cast<size_t>(id) >= summary.tensors.size()) continue;
    const TensorSummary& tensor = summary.tensors[static_cast<size_t>(id)];
    tensors.push_back({tensor.id, tensor.name, tensor.type, tensor.shape, 0});
  }
  return tensors;
}

ModelInfo describe(const ModelSummary& summary) {
  ModelInfo info;
  info.name = summary.name;
  info.inputs = info_of(summary, summary.inputs);
  info.outputs = info_of(summary, summary.outputs);
  info.macs = summary.macs;
  for (const OperatorSummary& op : summary.operators) {
    info.operators.push_back({op.index, op.name, info_of(summary, op.inputs),
                              info_of(summary, op.outputs), op.macs, std::nullopt});
  }
  return info;
}

}  // namespace

Result<Inspection> inspect_model(const std::string& path) {
  TT_TRY_ASSIGN(const ModelSummary summary, summarise_tflite(path));
  if (summary.unsupported.empty()) {
    TT_TRY_ASSIGN(const Model model, Model::load(path));
    return Inspection{model.info(), {}};
  }
  Inspection inspection{describe(summary), {}};
  for (const Unsupported& what : summary.unsupported)
    inspection.unsupported.push_back({what.index, what.name, what.reason});
  return inspection;
}

Result<Model> Model::load(const std::string& path) {
  auto state = std::make_shared<State>();
  state->path = path;
  TT_TRY_ASSIGN(state->graph, import_tflite(path));
  Result<std::vector<Task>> tasks = extract_tasks(state->graph);
  if (!tasks) return tasks.error().within(path);
  state->tasks = std::move(tasks).value();
  Result<ModelInfo> info = describe(state->graph, state->tasks);
  if (!info) return info.error().within(path);
  state->info = std::move(info).value();
  return Model(std::move(state));
}

const std::string& Model::path() const { return state_->path; }
const ModelInfo& Model::info() const { return state_->info; }

}  // namespace tinytune
