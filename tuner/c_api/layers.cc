// Layers and their kernels in the C interface.
#include "tuner/c_api/calls.h"

using namespace tinytune;
using namespace tinytune::c_api;

struct tinytune_kernel {
  TunedKernel kernel;
};

namespace {

LayerConstants constants_of(const tinytune_constants& given) {
  const auto channels = [&](const int32_t* values) {
    return values == nullptr ? std::vector<int32_t>()
                             : std::vector<int32_t>(values, values + given.channels);
  };
  LayerConstants constants{
      {}, channels(given.bias), channels(given.multiplier), channels(given.shift)};
  if (given.weights != nullptr)
    constants.weights.assign(given.weights, given.weights + given.weight_count);
  return constants;
}

}  // namespace

extern "C" {

tinytune_status tinytune_fixed_point(double scale, int32_t* multiplier, int32_t* shift) {
  if (const auto wrong = begin({{"multiplier", multiplier}, {"shift", shift}})) return wrong;
  const Result<FixedPoint> fixed = fixed_point(scale);
  if (!fixed) return fail(fixed.error());
  *multiplier = fixed->multiplier;
  *shift = fixed->shift;
  return TINYTUNE_OK;
}

tinytune_status tinytune_layer_describe(const char* description,
                                        const tinytune_constants* constants, uint64_t seed,
                                        tinytune_layer** layer) {
  if (const auto wrong = begin({{"description", description}, {"layer", layer}})) return wrong;
  *layer = nullptr;
  LayerOptions options;
  if (constants != nullptr) options.constants = constants_of(*constants);
  if (seed != 0) options.seed = seed;
  const Result<Layer> described = Layer::describe(description, options);
  if (!described) return fail(described.error());
  *layer = new tinytune_layer{*described, {described->model()}};
  return TINYTUNE_OK;
}

void tinytune_layer_free(tinytune_layer* layer) { delete layer; }

const char* tinytune_layer_name(const tinytune_layer* layer) {
  return layer == nullptr ? nullptr : layer->layer.name().c_str();
}

const char* tinytune_layer_workload(const tinytune_layer* layer) {
  return layer == nullptr ? nullptr : layer->layer.workload().c_str();
}

const tinytune_model* tinytune_layer_model(const tinytune_layer* layer) {
  return layer == nullptr ? nullptr : &layer->model;
}

tinytune_status tinytune_compile_workload(const tinytune_layer* layer,
                                          const tinytune_kernel_options* options,
                                          tinytune_kernel** kernel) {
  if (const auto wrong = begin({{"layer", layer}, {"options", options}, {"kernel", kernel}}))
    return wrong;
  if (const auto wrong = begin({{"options->device", options->device}})) return wrong;
  KernelOptions as_asked;
  if (options->records != nullptr) as_asked.records = options->records;
  if (options->schedule != nullptr) as_asked.schedule = options->schedule;
  if (options->symbol != nullptr) as_asked.symbol = options->symbol;
  as_asked.on_message = sink_of(options->on_message, options->context);
  return hand_out(compile_workload(layer->layer, options->device, as_asked), kernel);
}

void tinytune_kernel_free(tinytune_kernel* kernel) { delete kernel; }

void tinytune_kernel_get(const tinytune_kernel* kernel, tinytune_kernel_info* info) {
  const TunedKernel& k = kernel->kernel;
  *info = {.symbol = k.symbol.c_str(),
           .prototype = k.prototype.c_str(),
           .workload = k.workload.c_str(),
           .schedule = k.schedule.c_str(),
           .tuned = k.tuned ? 1 : 0,
           .assembly = k.assembly.c_str(),
           .llvm_ir = k.llvm_ir.c_str(),
           .header = k.header.c_str(),
           .source = k.source.c_str(),
           .object = k.object.data(),
           .object_bytes = k.object.size(),
           .constant_count = k.constants.size(),
           .input_bytes = k.input_bytes,
           .output_bytes = k.output_bytes,
           .scratch_bytes = k.scratch_bytes,
           .constant_bytes = k.constant_bytes,
           .cycles = k.cycles.value_or(0),
           .instructions = k.instructions.value_or(0)};
}

tinytune_status tinytune_kernel_constant(const tinytune_kernel* kernel, size_t index,
                                         tinytune_packed_array* array) {
  if (const auto wrong = begin({{"kernel", kernel}, {"array", array}})) return wrong;
  if (const auto wrong = check_index(index, kernel->kernel.constants.size())) return wrong;
  const PackedArray& packed = kernel->kernel.constants[index];
  *array = {packed.name.c_str(), packed.c_type.c_str(), packed.bytes.data(), packed.bytes.size()};
  return TINYTUNE_OK;
}

}  // extern "C"
