#include "models/tasks.h"

#include <fmt/format.h>

#include <algorithm>

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

Result<std::vector<Task>> extract_tasks(const Graph& graph) {
  std::vector<Task> tasks;
  for (const Operator& op : graph.operators) {
    TT_TRY_ASSIGN(IntegerOp form, integer_form(graph, op));
    auto* kernel = std::get_if<KernelOp>(&form);
    if (kernel == nullptr) continue;
    const auto same = std::find_if(tasks.begin(), tasks.end(), [&](const Task& task) {
      return task.workload == kernel->workload;
    });
    if (same != tasks.end()) {
      same->layers.push_back(op.index);
      continue;
    }
    tasks.push_back(
        {task_name(kernel->workload), kernel->workload, std::move(kernel->data), {op.index}});
  }
  return tasks;
}

}  // namespace tinytune
