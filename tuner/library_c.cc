#include <atomic>
#include <string>
#include <utility>

#include "tinytune/tinytune.h"
#include "tinytune/tinytune_c.h"

struct tinytune_model {
  tinytune::Model model;
};

namespace {

using namespace tinytune;

thread_local std::string last_error;

tinytune_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return TINYTUNE_INVALID_INPUT;
    case ErrorCode::kUnsupported:
      return TINYTUNE_UNSUPPORTED;
    case ErrorCode::kNotFound:
      return TINYTUNE_NOT_FOUND;
    case ErrorCode::kFailed:
      return TINYTUNE_FAILED;
    case ErrorCode::kDeviceLost:
      return TINYTUNE_DEVICE_LOST;
    case ErrorCode::kInterrupted:
      return TINYTUNE_INTERRUPTED;
  }
  return TINYTUNE_FAILED;
}

tinytune_status fail(const Error& error) {
  last_error = error.message();
  return status_of(error.code());
}

tinytune_status missing(const char* argument) {
  return fail(Error(ErrorCode::kInvalidInput, std::string(argument) + " is null"));
}

const TaskInfo* task_of(const tinytune_model* model, size_t task) {
  if (model == nullptr || task >= model->model.info().tasks.size()) return nullptr;
  return &model->model.info().tasks[task];
}

TuneOptions options_of(const tinytune_tune_options& given, std::atomic<bool>& cancel) {
  TuneOptions options;
  options.records = given.records;
  if (given.trials > 0) options.trials = given.trials;
  // A negative budget goes through, to be refused.
  if (given.budget_seconds != 0) options.budget_seconds = given.budget_seconds;
  if (given.tuner != nullptr) options.tuner = given.tuner;
  if (given.seed != 0) options.seed = given.seed;
  if (given.workers != 0) options.workers = given.workers;
  if (given.worker_program != nullptr) options.worker_program = given.worker_program;
  options.cancel = &cancel;
  if (given.on_progress != nullptr) {
    options.on_progress = [callback = given.on_progress, context = given.context,
                           &cancel](const TuneProgress& now) {
      const tinytune_progress progress{now.trials, now.trials_total, now.measured, now.valid,
                                       now.best_cycles.value_or(0)};
      if (callback(&progress, context) != 0) cancel = true;
    };
  }
  return options;
}

}  // namespace

extern "C" {

const char* tinytune_version(void) { return version(); }

const char* tinytune_last_error(void) { return last_error.c_str(); }

tinytune_status tinytune_model_load(const char* path, tinytune_model** model) {
  last_error.clear();
  if (path == nullptr) return missing("path");
  if (model == nullptr) return missing("model");
  *model = nullptr;
  Result<Model> loaded = Model::load(path);
  if (!loaded) return fail(loaded.error());
  *model = new tinytune_model{std::move(*loaded)};
  return TINYTUNE_OK;
}

void tinytune_model_free(tinytune_model* model) { delete model; }

size_t tinytune_task_count(const tinytune_model* model) {
  return model == nullptr ? 0 : model->model.info().tasks.size();
}

const char* tinytune_task_name(const tinytune_model* model, size_t task) {
  const TaskInfo* info = task_of(model, task);
  return info == nullptr ? nullptr : info->name.c_str();
}

size_t tinytune_task_layer_count(const tinytune_model* model, size_t task) {
  const TaskInfo* info = task_of(model, task);
  return info == nullptr ? 0 : info->layers.size();
}

tinytune_status tinytune_tune(const tinytune_model* model, const tinytune_tune_options* options,
                              tinytune_tune_result* result) {
  last_error.clear();
  if (model == nullptr) return missing("model");
  if (options == nullptr) return missing("options");
  if (options->device == nullptr) return missing("options->device");
  if (options->records == nullptr) return missing("options->records");
  std::atomic<bool> cancel{false};
  const Result<TuneReport> report =
      tune_model(model->model, options->device, options_of(*options, cancel));
  if (!report) return fail(report.error());
  if (result != nullptr) {
    *result = {report->default_cycles.value_or(0), report->best_cycles.value_or(0),
               report->measured};
  }
  return TINYTUNE_OK;
}

tinytune_status tinytune_compile(const tinytune_model* model, const char* device,
                                 const char* records, const char* directory) {
  last_error.clear();
  if (model == nullptr) return missing("model");
  if (device == nullptr) return missing("device");
  if (directory == nullptr) return missing("directory");
  CompileOptions options;
  if (records != nullptr) options.records = records;
  const Result<CompileReport> report = compile_model(model->model, device, directory, options);
  return report ? TINYTUNE_OK : fail(report.error());
}

}  // extern "C"
