// Whole networks in the C interface: generating libraries, and running them.
#include <vector>

#include "tuner/c_api/calls.h"

using namespace tinytune;
using namespace tinytune::c_api;

struct tinytune_run {
  RunReport report;
};

namespace {

PackageFormat format_of(tinytune_format format) {
  switch (format) {
    case TINYTUNE_FORMAT_CMAKE:
      break;
    case TINYTUNE_FORMAT_ESP_IDF:
      return PackageFormat::kEspIdf;
    case TINYTUNE_FORMAT_ZEPHYR:
      return PackageFormat::kZephyr;
    case TINYTUNE_FORMAT_ARDUINO:
      return PackageFormat::kArduino;
    case TINYTUNE_FORMAT_MLF:
      return PackageFormat::kMlf;
    case TINYTUNE_FORMAT_PLATFORMIO:
      return PackageFormat::kPlatformio;
    case TINYTUNE_FORMAT_PICO_SDK:
      return PackageFormat::kPicoSdk;
    case TINYTUNE_FORMAT_STM32CUBE:
      return PackageFormat::kStm32Cube;
  }
  return PackageFormat::kCmake;
}

/// `asked` may be null.
tinytune_status read_options(const tinytune_compile_options* asked, CompileOptions& options) {
  if (asked == nullptr) return TINYTUNE_OK;
  const tinytune_compile_options& given = *asked;
  if (const auto wrong = check_enum("layout", given.layout, TINYTUNE_LAYOUT_AUTO)) return wrong;
  if (const auto wrong = check_enum("format", given.format, TINYTUNE_FORMAT_STM32CUBE))
    return wrong;
  if (const auto wrong =
          check_enum("limits.fast_ram", given.limits.fast_ram, TINYTUNE_FAST_RAM_ALL))
    return wrong;
  if (given.records != nullptr) options.records = given.records;
  options.require_tuned = given.require_tuned != 0;
  options.layout = layout_of(given.layout);
  options.format = format_of(given.format);
  options.limits = limits_of(given.limits);
  options.on_message = sink_of(given.on_message, given.context);
  return TINYTUNE_OK;
}

tinytune_compile_result result_of(const CompileReport& report) {
  return {.arena_bytes = report.arena_bytes,
          .arena_lower_bound = report.arena_lower_bound,
          .layers_tuned = report.layers_tuned,
          .layers_tunable = report.layers_tunable,
          .has_footprint = report.footprint ? 1 : 0,
          .footprint = footprint_of(report.footprint.value_or(Footprint{})),
          .clock_hz = report.clock_hz.value_or(0),
          .exact = !report.exact   ? -1
                   : *report.exact ? 1
                                   : 0};
}

RunOptions options_of(const tinytune_run_options& given, const Model& model) {
  RunOptions options;
  if (given.records != nullptr) options.records = given.records;
  if (given.inputs != nullptr) {
    size_t input = 0;
    for (const TensorInfo& tensor : model.info().inputs) {
      const uint8_t* bytes = given.inputs[input++];
      options.inputs.emplace_back(bytes, bytes + tensor.bytes);
    }
  }
  options.verify = given.verify != 0;
  options.layout = layout_of(given.layout);
  options.limits = limits_of(given.limits);
  options.on_message = sink_of(given.on_message, given.context);
  return options;
}

}  // namespace

extern "C" {

tinytune_status tinytune_compile(const tinytune_model* model, const char* device,
                                 const char* records, const char* directory) {
  tinytune_compile_options options = {};
  options.records = records;
  return tinytune_compile_with(model, device, directory, &options, nullptr);
}

tinytune_status tinytune_compile_with(const tinytune_model* model, const char* device,
                                      const char* directory,
                                      const tinytune_compile_options* options,
                                      tinytune_compile_result* result) {
  if (const auto wrong = begin({{"model", model}, {"device", device}, {"directory", directory}}))
    return wrong;
  CompileOptions how;
  if (const auto wrong = read_options(options, how)) return wrong;
  const Result<CompileReport> report = compile_model(model->model, device, directory, how);
  if (!report) return fail(report.error());
  if (result != nullptr) *result = result_of(*report);
  return TINYTUNE_OK;
}

tinytune_status tinytune_compile_shared(const tinytune_model* const* models, size_t count,
                                        const char* device, const char* directory,
                                        const tinytune_compile_options* options,
                                        tinytune_shared_arena_result* result,
                                        tinytune_compile_result* networks) {
  if (const auto wrong = begin({{"models", models}, {"device", device}, {"directory", directory}}))
    return wrong;
  CompileOptions how;
  if (const auto wrong = read_options(options, how)) return wrong;
  std::vector<Model> all;
  for (size_t i = 0; i < count; ++i) {
    if (const auto wrong = begin({{"models", models[i]}})) return wrong;
    all.push_back(models[i]->model);
  }
  const Result<SharedArenaReport> report = compile_models(all, device, directory, how);
  if (!report) return fail(report.error());
  if (result != nullptr)
    *result = {.arena_bytes = report->arena_bytes,
               .state_bytes = report->state_bytes,
               .apart_bytes = report->apart_bytes,
               .has_footprint = report->footprint ? 1 : 0,
               .footprint = footprint_of(report->footprint.value_or(Footprint{}))};
  if (networks != nullptr)
    for (size_t i = 0; i < count; ++i) networks[i] = result_of(report->networks[i]);
  return TINYTUNE_OK;
}

tinytune_status tinytune_run_model(const tinytune_model* model, const char* device,
                                   const tinytune_run_options* options, tinytune_run** run) {
  if (const auto wrong = begin({{"model", model}, {"device", device}, {"run", run}})) return wrong;
  const tinytune_run_options by_default = {};
  const tinytune_run_options& given = options == nullptr ? by_default : *options;
  if (const auto wrong = check_enum("layout", given.layout, TINYTUNE_LAYOUT_AUTO)) return wrong;
  if (const auto wrong =
          check_enum("limits.fast_ram", given.limits.fast_ram, TINYTUNE_FAST_RAM_ALL))
    return wrong;
  return hand_out(run_model(model->model, device, options_of(given, model->model)), run);
}

void tinytune_run_free(tinytune_run* run) { delete run; }

void tinytune_run_get(const tinytune_run* run, tinytune_run_info* info) {
  const RunReport& report = run->report;
  const int exact = !report.exact ? -1 : *report.exact ? 1 : 0;
  *info = {.exact = exact,
           .difference = report.difference.c_str(),
           .instructions = report.instructions,
           .overhead_instructions = report.overhead_instructions,
           .footprint = footprint_of(report.footprint),
           .clock_hz = report.clock_hz.value_or(0),
           .layer_count = report.layers.size(),
           .output_count = report.outputs.size()};
}

tinytune_status tinytune_run_layer(const tinytune_run* run, size_t layer,
                                   tinytune_layer_cost* cost) {
  if (const auto wrong = begin({{"run", run}, {"cost", cost}})) return wrong;
  if (const auto wrong = check_index(layer, run->report.layers.size())) return wrong;
  const LayerCost& of = run->report.layers[layer];
  *cost = {.index = of.index,
           .op = of.op.c_str(),
           .macs = of.macs,
           .macs_executed = of.macs_executed,
           .instructions = of.instructions,
           .cycles = of.cycles,
           .multiplies = of.multiplies,
           .loads = of.loads,
           .stores = of.stores,
           .branches_taken = of.branches_taken,
           .tuned = of.tuned ? 1 : 0};
  return TINYTUNE_OK;
}

tinytune_status tinytune_run_output(const tinytune_run* run, size_t output, const uint8_t** bytes,
                                    size_t* size) {
  if (const auto wrong = begin({{"run", run}, {"bytes", bytes}, {"size", size}})) return wrong;
  if (const auto wrong = check_index(output, run->report.outputs.size())) return wrong;
  *bytes = run->report.outputs[output].data();
  *size = run->report.outputs[output].size();
  return TINYTUNE_OK;
}

}  // extern "C"
