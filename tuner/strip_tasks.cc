#include "tuner/strip_tasks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "codegen/networks/network_memory.h"
#include "deploy/deployment/deployment.h"
#include "deploy/deployment/least_memory.h"
#include "deploy/deployment/network_moves.h"
#include "deploy/model/model_state.h"
#include "models/workload_description.h"

namespace tinytune {
namespace {

/// Returns one task per workload of the layers that `memory` computes in strips.
std::vector<Task> strip_tasks(const NetworkMemory& memory) {
  std::vector<Task> tasks;
  std::map<std::string, size_t> task_of;  // by workload
  for (const NetworkMemory::Layer& layer : memory.layers) {
    if (!layer.strip_of) continue;
    const Workload& workload = layer.op.workload;
    const auto [known, is_new] = task_of.try_emplace(to_text(workload), tasks.size());
    if (is_new) tasks.push_back({short_name(workload), workload, layer.op.data, {}});
    Task& task = tasks[known->second];
    task.layers.push_back(layer.index);
    task.calls.push_back(layer.calls);
  }
  return tasks;
}

}  // namespace

Result<TunedTasks> tuned_tasks(const Model& model, const Device& device, const MemoryLimits& limits,
                               LayoutPolicy layout, const MessageSink& sink,
                               std::vector<Task> tasks, std::vector<int> selected) {
  TunedTasks tuned;
  tuned.tasks = std::move(tasks);
  tuned.selected = std::move(selected);
  tuned.options.builds = model.state().builds;
  const Records none;
  const IntegerNetwork& network = model.state().network;
  const Deployment deployment{model, device, none, limits, sink};
  TT_TRY_ASSIGN(const ArenaPlan plan, plan_arena(deployment, tuned.options));
  tuned.arena_bytes = plan.arena_bytes;
  NetworkOptions planned = tuned.options;
  plan.strips.apply_to(planned);
  if (!planned.strips.empty())
    if (const auto deployed = fastest_network(deployment, tuned.options)) {
      planned.strips = deployed->network.strips;
      planned.early_shortcuts = deployed->network.early_shortcuts;
    }
  if (planned.strips.empty() && !planned.early_shortcuts) return tuned;
  const NetworkMemory memory = network_memory(network, planned);
  std::set<int> in_strips, wanted;  // layers
  for (const NetworkMemory::Layer& layer : memory.layers)
    if (layer.strip_of) in_strips.insert(layer.index);
  std::vector<int> kept;
  for (const int number : tuned.selected) {
    Task& task = tuned.tasks[static_cast<size_t>(number)];
    wanted.insert(task.layers.begin(), task.layers.end());
    std::erase_if(task.layers, [&](int layer) { return in_strips.contains(layer); });
    if (!task.layers.empty()) kept.push_back(number);
  }
  for (Task& task : tasks_in(strip_tasks(memory), layout)) {
    if (std::none_of(task.layers.begin(), task.layers.end(),
                     [&](int layer) { return wanted.contains(layer); }))
      continue;
    kept.push_back(static_cast<int>(tuned.tasks.size()));
    tuned.tasks.push_back(std::move(task));
  }
  tuned.selected = std::move(kept);
  tuned.options = std::move(planned);
  return tuned;
}

Result<std::vector<Task>> deployed_tasks(const Model& model, const Device& device,
                                         const MemoryLimits& limits, LayoutPolicy layout,
                                         const MessageSink& sink) {
  std::vector<Task> tasks = tasks_in(model.state().tasks, layout);
  std::vector<int> every(tasks.size());
  std::iota(every.begin(), every.end(), 0);
  TT_TRY_ASSIGN(TunedTasks tuned, tuned_tasks(model, device, limits, layout, sink, std::move(tasks),
                                              std::move(every)));
  std::vector<Task> deployed;
  for (const int number : tuned.selected)
    deployed.push_back(std::move(tuned.tasks[static_cast<size_t>(number)]));
  return deployed;
}

}  // namespace tinytune
