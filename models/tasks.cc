#include "models/tasks.h"

#include <unordered_map>

#include "models/workload_description.h"

namespace tinytune {

std::vector<Task> extract_tasks(const IntegerNetwork& network) {
  std::vector<Task> tasks;
  std::unordered_map<std::string, size_t> task_of;  // by workload
  for (size_t step = 0; step < network.ops.size(); ++step) {
    const auto* kernel = std::get_if<KernelOp>(&network.ops[step]);
    if (kernel == nullptr) continue;
    const int index = network.graph.operators[step].index;
    const auto [known, is_new] = task_of.try_emplace(to_text(kernel->workload), tasks.size());
    if (is_new) {
      tasks.push_back({short_name(kernel->workload), kernel->workload, kernel->data, {index}});
      continue;
    }
    tasks[known->second].layers.push_back(index);
    tasks[known->second].others.push_back(kernel->data);
  }
  return tasks;
}

}  // namespace tinytune
