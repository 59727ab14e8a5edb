#include "tinytune/explain.h"

#include <utility>

#include "deploy/compilation.h"
#include "deploy/deployment/deployment.h"
#include "deploy/deployment/move_trace.h"
#include "deploy/deployment/trial.h"
#include "deploy/knowledge/applicable_records.h"
#include "deploy/knowledge/ranking.h"
#include "deploy/model/model_state.h"
#include "deploy/operator/single_layer.h"
#include "devices/device.h"
#include "records/log.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

Result<const Task*> task_at(const std::vector<Task>& tasks, int index) {
  if (index >= 0 && static_cast<size_t>(index) < tasks.size())
    return &tasks[static_cast<size_t>(index)];
  return Error(ErrorCode::kInvalidInput, "there is no task " + std::to_string(index) +
                                             "; the model has " + std::to_string(tasks.size()) +
                                             " (see `tune inspect`)");
}

/// Returns the number of (output, tap) pairs along one axis whose input is not padding.
int64_t taps_inside(int in, int out, int kernel, int stride, int dilation, int pad) {
  int64_t inside = 0;
  for (int64_t o = 0; o < out; ++o)
    for (int64_t k = 0; k < kernel; ++k) {
      const int64_t at = o * stride - pad + k * dilation;
      inside += at >= 0 && at < in ? 1 : 0;
    }
  return inside;
}

/// Returns the multiply-accumulates without those on padding, which a kernel may omit.
int64_t macs_inside(const Workload& w) {
  const int64_t rows =
      taps_inside(w.in_h, w.out_h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top);
  const int64_t columns =
      taps_inside(w.in_w, w.out_w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left);
  const int64_t taps = int64_t{w.out_h} * w.kernel_h * w.out_w * w.kernel_w;
  return w.macs() / taps * (rows * columns);
}

/// Returns a lower bound of the multiplications of any kernel with the arithmetic of `winner`.
Result<uint64_t> least_multiplies(const Workload& workload, const Schedule& winner) {
  TT_TRY_ASSIGN(const KernelTemplate* owner, find_template(winner));
  return static_cast<uint64_t>(static_cast<double>(macs_inside(workload)) *
                               owner->describe(workload, winner).multiplies_per_mac);
}

/// Returns the winner, then the schedules that it is compared with.
std::vector<std::pair<std::string, Schedule>> kernels_to_run(
    const std::vector<RankedSchedule>& ranked, const Schedule& start) {
  std::vector<std::pair<std::string, Schedule>> kernels = {{"winner", ranked.front().schedule},
                                                           {"default", start}};
  for (const Schedule& best : best_of_other_templates(ranked))
    kernels.emplace_back("best " + std::string(best.template_name()), best);
  return kernels;
}

}  // namespace

Result<TaskExplanation> explain_task(const Model& model, const std::string& device_name,
                                     const std::string& log, int index, const MessageSink& sink) {
  TT_TRY_ASSIGN(const Task* task, task_at(model.state().tasks, index));
  TT_TRY_ASSIGN(const Ground ground, load_ground(device_name, {}, log, sink));
  const auto& [device, records, in_log] = ground;
  const std::string workload = to_text(task->workload);
  const std::vector<RankedSchedule> ranked = ranked_records(records, workload);
  if (ranked.empty()) {
    return Error(ErrorCode::kFailed, log + ": no valid record of task " + std::to_string(index) +
                                         " (" + task->name + ") on " + device.name);
  }
  const Schedule& winner = ranked.front().schedule;
  TaskExplanation explanation;
  explanation.task = model.info().tasks.at(static_cast<size_t>(index));
  explanation.trials = records.tally(workload).trials;
  explanation.valid = records.tally(workload).valid;
  explanation.knobs = knob_effects(ranked);
  TT_TRY_ASSIGN(explanation.least_multiplies, least_multiplies(task->workload, winner));
  const IntegerNetwork layer = single_layer(model.state().network, task->layers.front());
  const Schedule start = starting_point(records, task->workload, device, winner);
  for (const auto& [role, schedule] : kernels_to_run(ranked, start)) {
    TT_TRY_ASSIGN(KernelCost cost, cost_of(layer, device, schedule, role));
    explanation.kernels.push_back(std::move(cost));
  }
  return explanation;
}

Result<NetworkExplanation> explain_network(const Model& model, const std::string& device_name,
                                           const RunOptions& options) {
  TT_TRY_ASSIGN(const Ground ground, load_ground_of(model, device_name, options));
  TT_TRY_ASSIGN(auto arrival, find_arrival(device_name, options.arrival));
  MoveTrace trace;
  Deployment deployment =
      deployment_of(model, ground.device, ground.records, options, std::move(arrival));
  deployment.trace = &trace;
  LayoutChoice layouts(options.layout, ground.device, ground.records);
  TT_TRY_ASSIGN(Candidate deployed, deployment.generate(layouts));
  NetworkExplanation explanation{.moves = trace.outcomes(), .deployed = {}};
  TT_TRY(run_once(deployment, deployed));
  explanation.deployed = std::move(*deployed.ran);
  return explanation;
}

}  // namespace tinytune
