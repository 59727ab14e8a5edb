// Tuning of models and of layers in the C interface.
#include <atomic>

#include "tuner/c_api/calls.h"

using namespace tinytune;
using namespace tinytune::c_api;

namespace {

TuneOptions options_of(const tinytune_tune_options& given, std::atomic<bool>& cancel) {
  TuneOptions options;
  options.records = given.records;
  if (given.trials > 0) options.trials = given.trials;
  // A negative budget is passed on, so that it is rejected.
  if (given.budget_seconds != 0) options.budget_seconds = given.budget_seconds;
  if (given.tuner != nullptr) options.tuner = given.tuner;
  if (given.seed != 0) options.seed = given.seed;
  if (given.workers != 0) options.workers = given.workers;
  if (given.worker_program != nullptr) options.worker_program = given.worker_program;
  if (given.window != 0) options.window = given.window;
  options.layout = layout_of(given.layout);
  options.limits = limits_of(given.limits);
  if (given.tasks != nullptr) options.tasks.assign(given.tasks, given.tasks + given.task_count);
  if (given.early_stop > 0) options.early_stop = given.early_stop;
  options.listen = text_or(given.listen, "");
  options.keys = text_or(given.keys, "");
  options.insecure = given.insecure != 0;
  if (given.board_patience_seconds != 0)
    options.board_patience_seconds = given.board_patience_seconds;
  options.on_message = sink_of(given.on_message, given.context);
  options.cancel = &cancel;
  if (given.on_progress != nullptr) {
    options.on_progress = [callback = given.on_progress, context = given.context,
                           &cancel](const TuneProgress& now) {
      const tinytune_progress progress{now.trials,
                                       now.trials_total,
                                       now.measured,
                                       now.valid,
                                       now.best_cycles.value_or(0),
                                       now.trials_per_second,
                                       now.seconds_left.value_or(-1)};
      if (callback(&progress, context) != 0) cancel = true;
    };
  }
  return options;
}

template <typename Tune>
tinytune_status tune(const void* what, const char* name, const tinytune_tune_options* options,
                     tinytune_tune_result* result, const Tune& tune) {
  if (const auto wrong = begin({{name, what}, {"options", options}})) return wrong;
  if (const auto wrong =
          begin({{"options->device", options->device}, {"options->records", options->records}}))
    return wrong;
  if (const auto wrong = check_enum("options->layout", options->layout, TINYTUNE_LAYOUT_AUTO))
    return wrong;
  if (const auto wrong =
          check_enum("options->limits.fast_ram", options->limits.fast_ram, TINYTUNE_FAST_RAM_ALL))
    return wrong;
  std::atomic<bool> cancel{false};
  const Result<TuneReport> report = tune(options_of(*options, cancel));
  if (!report) return fail(report.error());
  if (result != nullptr) {
    *result = {report->default_cycles.value_or(0), report->best_cycles.value_or(0),
               report->measured, report->exhausted ? 1 : 0, report->seconds};
  }
  return TINYTUNE_OK;
}

}  // namespace

extern "C" {

tinytune_status tinytune_tune(const tinytune_model* model, const tinytune_tune_options* options,
                              tinytune_tune_result* result) {
  return tune(model, "model", options, result, [&](const TuneOptions& as_asked) {
    return tune_model(model->model, options->device, as_asked);
  });
}

tinytune_status tinytune_tune_workload(const tinytune_layer* layer,
                                       const tinytune_tune_options* options,
                                       tinytune_tune_result* result) {
  return tune(layer, "layer", options, result, [&](const TuneOptions& as_asked) {
    return tune_workload(layer->layer, options->device, as_asked);
  });
}

}  // extern "C"
