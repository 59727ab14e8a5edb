// Results of tuning in the C interface: records, and explanations of the best schedules.
#include "tuner/c_api/calls.h"

using namespace tinytune;
using namespace tinytune::c_api;

struct tinytune_explanation {
  TaskExplanation explanation;
};

struct tinytune_log {
  std::vector<LogRecord> records;
};

extern "C" {

tinytune_status tinytune_explain(const tinytune_model* model, const char* device,
                                 const char* records, size_t task,
                                 tinytune_explanation** explanation) {
  if (const auto wrong = begin({{"model", model},
                                {"device", device},
                                {"records", records},
                                {"explanation", explanation}}))
    return wrong;
  *explanation = nullptr;
  if (const auto wrong = check_index(task, tinytune_task_count(model))) return wrong;
  return hand_out(explain_task(model->model, device, records, static_cast<int>(task)), explanation);
}

void tinytune_explanation_free(tinytune_explanation* explanation) { delete explanation; }

void tinytune_explanation_get(const tinytune_explanation* explanation,
                              tinytune_explanation_info* info) {
  const TaskExplanation& e = explanation->explanation;
  *info = {.task = e.task.name.c_str(),
           .workload = e.task.workload.c_str(),
           .trials = e.trials,
           .valid = e.valid,
           .least_multiplies = e.least_multiplies,
           .kernel_count = e.kernels.size(),
           .knob_count = e.knobs.size()};
}

tinytune_status tinytune_explanation_kernel(const tinytune_explanation* explanation, size_t kernel,
                                            tinytune_kernel_cost* cost) {
  if (const auto wrong = begin({{"explanation", explanation}, {"cost", cost}})) return wrong;
  const auto& kernels = explanation->explanation.kernels;
  if (const auto wrong = check_index(kernel, kernels.size())) return wrong;
  const KernelCost& of = kernels[kernel];
  *cost = {.role = of.role.c_str(),
           .schedule = of.schedule.c_str(),
           .instructions = of.instructions,
           .cycles = of.cycles,
           .multiplies = of.multiplies,
           .loads = of.loads,
           .stores = of.stores,
           .branches_taken = of.branches_taken};
  return TINYTUNE_OK;
}

tinytune_status tinytune_explanation_knob(const tinytune_explanation* explanation, size_t knob,
                                          tinytune_knob_effect* effect) {
  if (const auto wrong = begin({{"explanation", explanation}, {"effect", effect}})) return wrong;
  const auto& knobs = explanation->explanation.knobs;
  if (const auto wrong = check_index(knob, knobs.size())) return wrong;
  *effect = {knobs[knob].knob.c_str(), knobs[knob].value.c_str(), knobs[knob].other.c_str(),
             knobs[knob].slowdown};
  return TINYTUNE_OK;
}

tinytune_status tinytune_log_query(const char* path, const char* device, const char* workload,
                                   int best_only, tinytune_log** log) {
  if (const auto wrong = begin({{"path", path}, {"log", log}})) return wrong;
  LogQuery query;
  query.device = text_or(device, "");
  query.workload = text_or(workload, "");
  query.best_only = best_only != 0;
  return hand_out(query_log(path, query), log);
}

void tinytune_log_free(tinytune_log* log) { delete log; }

size_t tinytune_log_count(const tinytune_log* log) {
  return log == nullptr ? 0 : log->records.size();
}

tinytune_status tinytune_log_at(const tinytune_log* log, size_t index, tinytune_record* record) {
  if (const auto wrong = begin({{"log", log}, {"record", record}})) return wrong;
  if (const auto wrong = check_index(index, log->records.size())) return wrong;
  const LogRecord& of = log->records[index];
  *record = {.device = of.device.c_str(),
             .workload = of.workload.c_str(),
             .schedule = of.schedule.c_str(),
             .outcome = of.outcome.c_str(),
             .cycles = of.cycles.value_or(0),
             .instructions = of.instructions,
             .code_bytes = of.code_bytes,
             .ram_bytes = of.ram_bytes,
             .tuner = of.tuner.c_str(),
             .time = of.time.c_str(),
             .detail = of.detail.c_str()};
  return TINYTUNE_OK;
}

}  // extern "C"
