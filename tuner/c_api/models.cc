// Devices and models of the C interface.
#include "tuner/c_api/calls.h"

using namespace tinytune;
using namespace tinytune::c_api;

namespace {

/// Static, because callers get pointers to its strings.
const std::vector<DeviceInfo>& devices() {
  static const std::vector<DeviceInfo> kAll = list_devices();
  return kAll;
}

const TaskInfo* task_of(const tinytune_model* model, size_t task) {
  if (model == nullptr || task >= model->model.info().tasks.size()) return nullptr;
  return &model->model.info().tasks[task];
}

size_t bytes_at(const std::vector<TensorInfo>& tensors, size_t index) {
  return index < tensors.size() ? static_cast<size_t>(tensors[index].bytes) : 0;
}

}  // namespace

extern "C" {

size_t tinytune_device_count(void) { return devices().size(); }

tinytune_status tinytune_device_at(size_t index, tinytune_device* device) {
  if (const auto wrong = begin({{"device", device}})) return wrong;
  if (const auto wrong = check_index(index, devices().size())) return wrong;
  const DeviceInfo& info = devices()[index];
  *device = {info.name.c_str(), info.description.c_str(), info.isa.c_str(),
             info.clock_hz.value_or(0)};
  return TINYTUNE_OK;
}

tinytune_status tinytune_model_load(const char* path, tinytune_model** model) {
  return tinytune_model_load_without(path, nullptr, 0, model);
}

tinytune_status tinytune_model_load_without(const char* path, const char* const* passes,
                                            size_t pass_count, tinytune_model** model) {
  if (const auto wrong = begin({{"path", path}, {"model", model}})) return wrong;
  LoadOptions options;
  if (passes != nullptr) options.disabled_passes.assign(passes, passes + pass_count);
  return hand_out(Model::load(path, options), model);
}

tinytune_status tinytune_model_load_with(const char* path, const tinytune_load_options* options,
                                         tinytune_model** model) {
  if (const auto wrong = begin({{"path", path}, {"options", options}, {"model", model}}))
    return wrong;
  const auto texts = [](const char* const* first, size_t count) {
    return count == 0 ? std::vector<std::string>() : std::vector<std::string>(first, first + count);
  };
  LoadOptions given;
  given.disabled_passes = texts(options->disabled_passes, options->disabled_pass_count);
  given.input_types = texts(options->input_types, options->input_type_count);
  given.states = texts(options->states, options->state_count);
  return hand_out(Model::load(path, given), model);
}

void tinytune_model_free(tinytune_model* model) { delete model; }

size_t tinytune_task_count(const tinytune_model* model) {
  return model == nullptr ? 0 : model->model.info().tasks.size();
}

const char* tinytune_task_name(const tinytune_model* model, size_t task) {
  const TaskInfo* info = task_of(model, task);
  return info == nullptr ? nullptr : info->name.c_str();
}

const char* tinytune_task_workload(const tinytune_model* model, size_t task) {
  const TaskInfo* info = task_of(model, task);
  return info == nullptr ? nullptr : info->workload.c_str();
}

size_t tinytune_task_layer_count(const tinytune_model* model, size_t task) {
  const TaskInfo* info = task_of(model, task);
  return info == nullptr ? 0 : info->layers.size();
}

size_t tinytune_input_count(const tinytune_model* model) {
  return model == nullptr ? 0 : model->model.info().inputs.size();
}

size_t tinytune_input_bytes(const tinytune_model* model, size_t input) {
  return model == nullptr ? 0 : bytes_at(model->model.info().inputs, input);
}

size_t tinytune_output_count(const tinytune_model* model) {
  return model == nullptr ? 0 : model->model.info().outputs.size();
}

size_t tinytune_output_bytes(const tinytune_model* model, size_t output) {
  return model == nullptr ? 0 : bytes_at(model->model.info().outputs, output);
}

}  // extern "C"
