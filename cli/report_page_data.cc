#include "cli/report_page_data.h"

#include <map>
#include <nlohmann/json.hpp>

#include "cli/report_json.h"
#include "deploy/knowledge/ranking.h"
#include "deploy/model/model_state.h"
#include "tinytune/tinytune.h"
#include "tuner/rank_forecast.h"

namespace tinytune {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const RankForecast& forecast) {
  Json points = Json::array();
  for (const RankForecast::Point& p : forecast.points)
    points.push_back({{"score", p.score}, {"cycles", p.cycles}});
  return {{"heard", forecast.heard},
          {"correlation", or_null(forecast.correlation)},
          {"points", std::move(points)}};
}

Json json_of(const std::vector<KnobEffect>& effects) {
  Json all = Json::array();
  for (const KnobEffect& e : effects)
    all.push_back(
        {{"knob", e.knob}, {"value", e.value}, {"other", e.other}, {"slowdown", e.slowdown}});
  return all;
}

Json json_of(const Task& task, size_t index, const Records& records, const RankForecast& forecast) {
  const std::string workload = to_text(task.workload);
  const std::vector<RankedSchedule> ranked = ranked_records(records, workload);
  const Records::Tally tally = records.tally(workload);
  return {
      {"index", index},
      {"name", task.name},
      {"workload", workload},
      {"layers", task.layers},
      {"trials", tally.trials},
      {"valid", tally.valid},
      {"best_cycles", ranked.empty() ? Json(nullptr) : Json(ranked.front().cycles)},
      {"best_schedule", ranked.empty() ? Json(nullptr) : Json(to_text(ranked.front().schedule))},
      {"knobs", ranked.empty() ? Json::array() : json_of(knob_effects(ranked))},
      {"forecast", json_of(forecast)}};
}

/// Returns every record of the tasks, in the log's order: [task, time, cycles or null, outcome].
Json trials_of(const std::map<std::string, size_t>& task_of, const Records& records) {
  Json trials = Json::array();
  for (const Measurement& m : records.all()) {
    const auto task = task_of.find(m.workload);
    if (task == task_of.end()) continue;
    trials.push_back(
        {task->second, m.time, or_null(m.median_cycles()), std::string(name_of(m.outcome))});
  }
  return trials;
}

/// Returns for each task and outcome the number of failures and the first record's message.
Json failures_of(const std::map<std::string, size_t>& task_of, const Records& records) {
  struct Cause {
    uint64_t count = 0;
    std::string example;
  };
  std::map<std::pair<std::string, size_t>, Cause> causes;
  for (const Measurement& m : records.all()) {
    const auto task = task_of.find(m.workload);
    if (task == task_of.end() || m.outcome == Outcome::kOk) continue;
    Cause& cause = causes[{std::string(name_of(m.outcome)), task->second}];
    if (cause.count++ == 0) cause.example = m.detail;
  }
  Json failures = Json::array();
  for (const auto& [key, cause] : causes)
    failures.push_back({{"outcome", key.first},
                        {"task", key.second},
                        {"count", cause.count},
                        {"example", cause.example}});
  return failures;
}

Json json_of(const LibraryCounts& libraries) {
  Json all = Json::array();
  for (const auto& [name, counts] : libraries) {
    Json layers = Json::array();
    for (const auto& [layer, instructions] : counts)
      layers.push_back({{"index", layer}, {"instructions", instructions}});
    all.push_back({{"name", name}, {"layers", std::move(layers)}});
  }
  return all;
}

Json tensor_names(const Model& model) {
  Json names = Json::object();
  for (const OperatorInfo& op : model.info().operators)
    for (const auto* list : {&op.inputs, &op.outputs})
      for (const TensorInfo& tensor : *list) names[std::to_string(tensor.id)] = tensor.name;
  return names;
}

Json json_of(const NetworkFigures& figures, const Model& model) {
  Json network = Json::parse(to_json(figures.by_default, figures.tuned));
  for (const Configuration& c : figures.configurations)
    network["configurations"].push_back({{"name", c.name},
                                         {"cycles", c.footprint.cycles},
                                         {"ram_bytes", c.footprint.ram_bytes()},
                                         {"flash_bytes", c.footprint.flash_bytes}});
  network["tensor_names"] = tensor_names(model);
  return network;
}

}  // namespace

Result<std::string> page_data(const PageSubject& subject) {
  const auto& [device, records, in_log] = subject.ground;
  const std::vector<Task>& tasks = subject.tasks;
  TT_TRY_ASSIGN(const std::vector<RankForecast> forecasts, forecast_ranks(tasks, device, records));
  std::map<std::string, size_t> task_of;
  Json of_tasks = Json::array();
  for (size_t t = 0; t < tasks.size(); ++t) {
    task_of.emplace(to_text(tasks[t].workload), t);
    of_tasks.push_back(json_of(tasks[t], t, records, forecasts[t]));
  }
  const Json all = {
      {"tool", std::string("tinytune ") + version()},
      {"live", subject.live},
      {"model",
       {{"name", subject.model.info().name},
        {"sha256", subject.model.state().sha256},
        {"macs", subject.model.info().macs}}},
      {"device",
       {{"name", device.name},
        {"description", device.description},
        {"clock_hz", or_null(device.clock_hz)}}},
      {"log", subject.log},
      {"tasks", std::move(of_tasks)},
      {"trials", trials_of(task_of, records)},
      {"failures", failures_of(task_of, records)},
      {"libraries", json_of(subject.library)},
      {"network",
       subject.network == nullptr ? Json(nullptr) : json_of(*subject.network, subject.model)}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tinytune
