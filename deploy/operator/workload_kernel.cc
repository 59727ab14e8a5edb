// compile_workload(): builds the kernel of the best record of one workload.
#include <algorithm>
#include <cctype>
#include <utility>

#include "codegen/kernels/kernel.h"
#include "codegen/networks/assembly.h"
#include "deploy/knowledge/applicable_records.h"
#include "deploy/model/model_state.h"
#include "deploy/operator/workload_sources.h"
#include "deploy/selection/estimated_kernels.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "templates/kernel_template.h"
#include "tinytune/kernel.h"

namespace tinytune {
namespace {

bool is_c_name(const std::string& text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), is_word);
}

/// A schedule with its packed constants, and its record, if any.
struct Choice {
  PackedSchedule kernel;
  const Measurement* record = nullptr;
};

Result<Choice> packed_for(const Workload& workload, const LayerData& data, Schedule schedule,
                          const Measurement* record) {
  TT_TRY_ASSIGN(const KernelTemplate* t, find_template(schedule));
  TT_TRY_ASSIGN(std::vector<PackedConstant> packed, t->pack(workload, data, schedule));
  return Choice{{std::move(schedule), std::move(packed)}, record};
}

Result<Choice> chosen(const Workload& workload, const LayerData& data, const Ground& ground,
                      const KernelOptions& options) {
  const std::string line = to_text(workload);
  if (options.schedule) {
    TT_TRY_ASSIGN(Schedule schedule, parse_schedule(*options.schedule));
    if (!space_of(workload, ground.device).find(schedule))
      return Error(ErrorCode::kUnsupported,
                   *options.schedule + ": no schedule of " + line + " on " + ground.device.name);
    const Measurement* record = ground.records.find(line, to_text(schedule));
    return packed_for(workload, data, std::move(schedule), record);
  }
  if (const Measurement* best = ground.records.best(line)) {
    TT_TRY_ASSIGN(Schedule schedule, parse_schedule(best->schedule));
    return packed_for(workload, data, std::move(schedule), best);
  }
  TT_TRY_ASSIGN(PackedSchedule usual, usual_kernel(workload, data, ground.device));
  return Choice{std::move(usual), nullptr};
}

const char* c_type_of(const PackedConstant& constant) {
  if (constant.element_bytes == 1) return "int8_t";
  return constant.element_bytes == 2 ? "int16_t" : "int32_t";
}

void take_constants(std::vector<PackedConstant> packed, TunedKernel& kernel) {
  for (PackedConstant& constant : packed) {
    kernel.constant_bytes += constant.bytes.size();
    kernel.constants.push_back(
        {std::move(constant.name), c_type_of(constant), std::move(constant.bytes)});
  }
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
  TT_TRY_ASSIGN(Choice choice, chosen(workload, data, ground, options));
  const Schedule& schedule = choice.kernel.schedule;

  TunedKernel kernel;
  kernel.symbol = options.symbol;
  kernel.workload = layer.workload();
  kernel.schedule = to_text(schedule);
  kernel.tuned = choice.record != nullptr;
  if (choice.record != nullptr) {
    kernel.cycles = choice.record->median_cycles();
    if (kernel.cycles) kernel.instructions = choice.record->instructions;
  }
  kernel.input_bytes = static_cast<uint64_t>(workload.input_bytes());
  kernel.output_bytes = static_cast<uint64_t>(workload.output_bytes());
  kernel.scratch_bytes = scratch_bytes_of(workload, schedule);
  take_constants(std::move(choice.kernel.constants), kernel);
  kernel.prototype = kernel_prototype(kernel);
  TT_TRY(build_into(kernel, workload, schedule, ground.device));
  print_kernel_sources(ground.device.name,
                       options.header.empty() ? kernel.symbol + ".h" : options.header, kernel);
  return kernel;
}

}  // namespace tinytune
