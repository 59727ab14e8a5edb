// compile_workload(): the best record of one workload, built.
#include <algorithm>
#include <cctype>
#include <utility>

#include "codegen/kernels/kernel.h"
#include "codegen/networks/assembly.h"
#include "deploy/known_records.h"
#include "deploy/lean_schedules.h"
#include "deploy/model_state.h"
#include "deploy/workload_sources.h"
#include "templates/kernel_template.h"
#include "tinytune/kernel.h"

namespace tinytune {
namespace {

bool is_c_name(const std::string& text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), is_word);
}

/// A schedule, and what the log says of it.
struct Choice {
  Schedule schedule;
  const Measurement* record = nullptr;
};

// The first default that these constants permit.
Result<Schedule> usual(const Workload& workload, const LayerData& data, const Device& device) {
  Error none(ErrorCode::kUnsupported, "no template takes " + to_text(workload));
  for (Schedule& schedule : default_schedules_of(workload, device)) {
    TT_TRY_ASSIGN(const KernelTemplate* t, find_template(schedule));
    const auto packed = t->pack(workload, data, schedule);
    if (packed) return std::move(schedule);
    none = packed.error();
  }
  return none;
}

Result<Choice> chosen(const Workload& workload, const LayerData& data, const Ground& ground,
                      const KernelOptions& options) {
  const std::string line = to_text(workload);
  if (options.schedule) {
    TT_TRY_ASSIGN(Schedule schedule, parse_schedule(*options.schedule));
    if (!space_of(workload, ground.device).find(schedule))
      return Error(ErrorCode::kUnsupported,
                   *options.schedule + ": no schedule of " + line + " on " + ground.device.name);
    return Choice{schedule, ground.records.find(line, to_text(schedule))};
  }
  if (const Measurement* best = ground.records.best(line)) {
    TT_TRY_ASSIGN(Schedule schedule, parse_schedule(best->schedule));
    return Choice{std::move(schedule), best};
  }
  TT_TRY_ASSIGN(Schedule schedule, usual(workload, data, ground.device));
  return Choice{std::move(schedule), nullptr};
}

const char* c_type_of(const PackedConstant& constant) {
  if (constant.element_bytes == 1) return "int8_t";
  return constant.element_bytes == 2 ? "int16_t" : "int32_t";
}

Status pack_into(TunedKernel& kernel, const Workload& workload, const LayerData& data,
                 const Schedule& schedule) {
  TT_TRY_ASSIGN(const KernelTemplate* t, find_template(schedule));
  TT_TRY_ASSIGN(std::vector<PackedConstant> packed, t->pack(workload, data, schedule));
  for (PackedConstant& constant : packed) {
    kernel.constant_bytes += constant.bytes.size();
    kernel.constants.push_back(
        {std::move(constant.name), c_type_of(constant), std::move(constant.bytes)});
  }
  return ok_status();
}

Status build_into(TunedKernel& kernel, const Workload& workload, const Schedule& schedule,
                  const Device& device) {
  const auto build = [&](Emit emit) {
    return compile_kernel(workload, schedule, device, kernel.symbol, emit);
  };
  TT_TRY_ASSIGN(CompiledKernel object, build(Emit::kObject));
  TT_TRY_ASSIGN(const CompiledKernel text, build(Emit::kAssembly));
  TT_TRY_ASSIGN(CompiledKernel ir, build(Emit::kLlvmIr));
  kernel.object = std::move(object.object);
  kernel.llvm_ir = std::move(ir.llvm_ir);
  const CoreFamily family = device.target.family;
  kernel.assembly =
      kernel_assembly_file(kernel, clean_assembly(text.assembly, kernel.symbol, 0, family).text(),
                           device.name, family == CoreFamily::kRiscv32);
  return ok_status();
}

}  // namespace

Result<TunedKernel> compile_workload(const Layer& layer, const std::string& device_name,
                                     const KernelOptions& options) {
  if (!is_c_name(options.symbol))
    return Error(ErrorCode::kInvalidInput, "'" + options.symbol + "' is no C name");
  TT_TRY_ASSIGN(const Ground ground,
                load_ground(device_name, {}, options.records, options.on_message));
  TT_TRY_ASSIGN(const Workload workload, parse_workload(layer.workload()));
  const LayerData& data = layer.model().state().tasks.at(0).data;
  TT_TRY_ASSIGN(const Choice choice, chosen(workload, data, ground, options));

  TunedKernel kernel;
  kernel.symbol = options.symbol;
  kernel.workload = layer.workload();
  kernel.schedule = to_text(choice.schedule);
  kernel.tuned = choice.record != nullptr;
  if (choice.record != nullptr) {
    kernel.cycles = choice.record->median_cycles();
    if (kernel.cycles) kernel.instructions = choice.record->instructions;
  }
  kernel.input_bytes = static_cast<uint64_t>(workload.input_bytes());
  kernel.output_bytes = static_cast<uint64_t>(workload.output_bytes());
  kernel.scratch_bytes = scratch_bytes_of(workload, choice.schedule);
  TT_TRY(pack_into(kernel, workload, data, choice.schedule));
  kernel.prototype = kernel_prototype(kernel);
  TT_TRY(build_into(kernel, workload, choice.schedule, ground.device));
  print_kernel_sources(ground.device.name, kernel);
  return kernel;
}

}  // namespace tinytune
