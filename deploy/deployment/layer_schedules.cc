#include "deploy/deployment/layer_schedules.h"

#include <variant>

#include "codegen/networks/split_layers.h"
#include "models/integer_op.h"

namespace tinytune {

LayerWorkloads workloads_of(const LaidOutGraph& graph, const std::vector<CoreSplit>& splits) {
  const auto halves = split_layers(graph, {}, splits);
  LayerWorkloads all(graph.ops.size());
  for (size_t step = 0; step < graph.ops.size(); ++step) {
    const auto* op = std::get_if<KernelOp>(&graph.ops[step]);
    if (op == nullptr) continue;
    all[step] = {to_text(op->workload)};
    if (!halves || !(*halves)[step]) continue;
    for (const HalfLayer& half : *(*halves)[step])
      all[step].push_back(to_text(std::get<KernelOp>(half.form).workload));
  }
  return all;
}

Schedules schedules_of(const LayerWorkloads& workloads, const GeneratedNetwork& network) {
  Schedules schedules;
  for (size_t step = 0; step < workloads.size(); ++step) {
    const GeneratedLayer& layer = network.layers[step];
    if (!layer.schedule) continue;
    for (const std::string& text : workloads[step]) {
      GivenSchedule& known = schedules[text];
      if (layer.forbidden)
        known = {*layer.forbidden, layer.tuned, layer.schedule};
      else if (!known.otherwise)
        known = {*layer.schedule, layer.tuned};
    }
  }
  return schedules;
}

}  // namespace tinytune
