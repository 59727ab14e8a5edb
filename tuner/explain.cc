#include "tinytune/explain.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/rng.h"
#include "codegen/network.h"
#include "devices/device.h"
#include "records/log.h"
#include "templates/kernel_template.h"
#include "tuner/fast_memory.h"
#include "tuner/known_records.h"
#include "tuner/model_state.h"
#include "tuner/network_simulation.h"

namespace tinytune {
namespace {

// The task's first layer as a network of its own.
IntegerNetwork single_layer(const IntegerNetwork& network, int index) {
  IntegerNetwork single = network;
  single.absorbed.clear();
  single.graph.operators.clear();
  single.ops.clear();
  for (size_t step = 0; step < network.ops.size(); ++step) {
    const Operator& op = network.graph.operators[step];
    if (op.index != index) continue;
    single.graph.operators = {op};
    single.ops = {network.ops[step]};
    single.graph.inputs = {op.inputs[0]};
    single.graph.outputs = {op.outputs[0]};
  }
  return single;
}

Result<KernelCost> cost_of(const IntegerNetwork& layer, const Device& device,
                           const Schedule& schedule, std::string role) {
  NetworkOptions options;
  options.name = "layer";
  TT_TRY_ASSIGN(GeneratedNetwork network,
                generate_network(
                    layer, device, [&](const Workload&) { return schedule; }, options));
  // Where kernels are measured: in fast memory, if they fit.
  TT_TRY(place_in_fast_memory(layer.graph, device, std::nullopt, network));
  TT_TRY_ASSIGN(NetworkSimulation simulation,
                NetworkSimulation::load(layer.graph, network, device));
  // No kernel's path depends on data; bytes that vary keep it honest.
  Rng rng(1);
  std::vector<uint8_t> input(
      static_cast<size_t>(layer.graph.tensor(layer.graph.inputs[0]).bytes()));
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(rng.next());
  TT_TRY_ASSIGN(const RunReport report, simulation.invoke({&input, 1}));
  const LayerCost& cost = report.layers.at(0);
  return KernelCost{std::move(role), to_text(schedule), cost.instructions, cost.cycles,
                    cost.multiplies, cost.loads,        cost.stores,       cost.branches_taken};
}

using Ranked = std::vector<std::pair<uint64_t, Schedule>>;

Ranked ranked_records(const Records& records, const std::string& workload) {
  Ranked ranked;
  for (const Measurement* m : records.of(workload)) {
    const Result<Schedule> schedule = parse_schedule(m->schedule);
    if (m->outcome == Outcome::kOk && schedule) ranked.emplace_back(*m->median_cycles(), *schedule);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return ranked;
}

std::vector<KnobEffect> knob_effects(const Ranked& ranked) {
  std::vector<KnobEffect> effects;
  const auto& [best, winner] = ranked.front();
  for (const auto& [knob, value] : winner.knobs()) {
    const auto other =
        std::find_if(ranked.begin(), ranked.end(), [&, &name = knob, &is = value](const auto& r) {
          return r.second.template_name() == winner.template_name() && r.second.has(name) &&
                 r.second.get(name) != is;
        });
    if (other == ranked.end()) continue;
    effects.push_back({knob, value, std::string(other->second.get(knob)),
                       static_cast<double>(other->first) / static_cast<double>(best) - 1});
  }
  std::stable_sort(effects.begin(), effects.end(), [](const KnobEffect& a, const KnobEffect& b) {
    return a.slowdown > b.slowdown;
  });
  return effects;
}

// Where tuning started: the first template's default that fitted its memory and so is in the log,
// or, where none did, what it measured first.
Schedule starting_point(const Records& records, const Workload& workload, const Device& device,
                        const Schedule& winner) {
  const std::string text = to_text(workload);
  for (const Schedule& usual : default_schedules_of(workload, device))
    if (records.find(text, to_text(usual)) != nullptr) return usual;
  for (const Measurement* m : records.of(text)) {
    const Result<Schedule> schedule = parse_schedule(m->schedule);
    if (m->outcome == Outcome::kOk && schedule) return *schedule;
  }
  return winner;
}

}  // namespace

Result<TaskExplanation> explain_task(const Model& model, const std::string& device_name,
                                     const std::string& log, int task, MessageSink sink) {
  const std::vector<Task>& tasks = model.state().tasks;
  if (task < 0 || static_cast<size_t>(task) >= tasks.size()) {
    return Error(ErrorCode::kInvalidInput, "there is no task " + std::to_string(task) +
                                               "; the model has " + std::to_string(tasks.size()) +
                                               " (see `tune inspect`)");
  }
  TT_TRY_ASSIGN(const Device device, load_device(device_name));
  const Result<LogContents> contents = read_log(log);
  if (!contents) return contents.error().within("--records");
  const Records records = applicable_records(*contents, log, device, sink);
  const Task& subject = tasks[static_cast<size_t>(task)];
  const std::string workload = to_text(subject.workload);
  const Ranked ranked = ranked_records(records, workload);
  if (ranked.empty()) {
    return Error(ErrorCode::kFailed, log + ": no valid record of task " + std::to_string(task) +
                                         " (" + subject.name + ") on " + device.name);
  }
  TaskExplanation explanation;
  explanation.task = model.info().tasks.at(static_cast<size_t>(task));
  explanation.trials = records.tally(workload).trials;
  explanation.valid = records.tally(workload).valid;
  const Schedule& winner = ranked.front().second;
  TT_TRY_ASSIGN(const KernelTemplate* owner, find_template(winner));
  explanation.least_multiplies =
      static_cast<uint64_t>(static_cast<double>(subject.workload.macs()) *
                            owner->describe(subject.workload, winner).multiplies_per_mac);
  explanation.knobs = knob_effects(ranked);

  const Schedule by_default = starting_point(records, subject.workload, device, winner);
  std::vector<std::pair<std::string, Schedule>> kernels = {{"winner", winner},
                                                           {"default", by_default}};
  std::set<std::string> seen = {std::string(winner.template_name())};
  for (const auto& [cycles, schedule] : ranked)
    if (seen.insert(std::string(schedule.template_name())).second)
      kernels.emplace_back("best " + std::string(schedule.template_name()), schedule);
  const IntegerNetwork layer = single_layer(model.state().network, subject.layers.front());
  for (auto& [role, schedule] : kernels) {
    TT_TRY_ASSIGN(KernelCost cost, cost_of(layer, device, schedule, std::move(role)));
    explanation.kernels.push_back(std::move(cost));
  }
  return explanation;
}

}  // namespace tinytune
