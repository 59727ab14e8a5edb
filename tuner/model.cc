#include "tinytune/model.h"

#include <utility>

#include "models/integer_op.h"
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
    TT_TRY_ASSIGN(const IntegerOp integer, integer_form(graph, op));
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

}  // namespace

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
