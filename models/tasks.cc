#include "models/tasks.h"

#include <fmt/format.h>

#include <unordered_map>

namespace tinytune {
namespace {

std::string task_name(const Workload& w) {
  if (w.op == OpKind::kDense) return fmt::format("dense {}->{}", w.in_c, w.out_c);
  std::string name =
      fmt::format("{} {}x{} {}->{} @{}x{}", w.op == OpKind::kConv2d ? "conv2d" : "depthwise",
                  w.kernel_h, w.kernel_w, w.in_c, w.out_c, w.out_h, w.out_w);
  if (w.stride_h != 1 || w.stride_w != 1) name += fmt::format(" /{}x{}", w.stride_h, w.stride_w);
  return name;
}

}  // namespace

std::vector<Task> extract_tasks(const IntegerNetwork& network) {
  std::vector<Task> tasks;
  std::unordered_map<std::string, size_t> task_of;  // by workload
  for (size_t step = 0; step < network.ops.size(); ++step) {
    const auto* kernel = std::get_if<KernelOp>(&network.ops[step]);
    if (kernel == nullptr) continue;
    const int index = network.graph.operators[step].index;
    const auto [known, is_new] = task_of.try_emplace(to_text(kernel->workload), tasks.size());
    if (!is_new)
      tasks[known->second].layers.push_back(index);
    else
      tasks.push_back({task_name(kernel->workload), kernel->workload, kernel->data, {index}});
  }
  return tasks;
}

}  // namespace tinytune
