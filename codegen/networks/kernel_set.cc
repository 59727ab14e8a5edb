#include "codegen/networks/kernel_set.h"

#include <algorithm>

#include "codegen/kernels/build_cache.h"
#include "codegen/kernels/portable_c.h"
#include "codegen/networks/memory_plan.h"

namespace tinytune {
namespace {

CType type_of(const PackedConstant& constant) {
  if (constant.element_bytes == 1) return CType::kInt8;
  return constant.element_bytes == 2 ? CType::kInt16 : CType::kInt32;
}

std::string layer_name(const std::string& name, int layer) {
  return name + "_layer_" + std::to_string(layer);
}

// Legality first: pack() of a schedule outside its space is not defined.
Result<std::vector<PackedConstant>> pack_legal(const KernelOp& op, const Schedule& schedule,
                                               const Device& device) {
  TT_TRY_ASSIGN(const KernelTemplate* t, find_template(schedule));
  if (!t->supports(op.workload, device) ||
      !t->space(op.workload, device).find(schedule).has_value())
    return Error(ErrorCode::kUnsupported, "not in the space of this layer");
  return t->pack(op.workload, op.data, schedule);
}

}  // namespace

KernelSet::KernelSet(const Device& device, const ScheduleSource& schedules, std::string name,
                     std::shared_ptr<BuildCache> builds)
    : device_(device),
      schedules_(schedules),
      name_(std::move(name)),
      builds_(builds ? std::move(builds) : std::make_shared<BuildCache>()) {}

Result<KernelSet::Choice> KernelSet::choose(const KernelOp& op, int layer, const Workload* whole) {
  auto found = schedules_ ? schedules_(op.workload) : std::nullopt;
  if (!found && schedules_ && whole != nullptr) found = schedules_(*whole);
  if (found) {
    auto packed = pack_legal(op, found->schedule, device_);
    if (packed)
      return Choice{{std::move(found->schedule), std::move(packed).value()}, found->measured};
    if (found->otherwise)
      if (auto other = pack_legal(op, *found->otherwise, device_))
        return Choice{{*found->otherwise, std::move(other).value()},
                      found->measured,
                      std::move(found->schedule)};
    warnings_.push_back("layer " + std::to_string(layer) + ": schedule " +
                        to_text(found->schedule) + " does not apply (" + packed.error().message() +
                        "); the default is used");
  }
  TT_TRY_ASSIGN(PackedSchedule usual, permitted_default_of(op.workload, op.data, device_));
  return Choice{std::move(usual), false};
}

Result<std::string> KernelSet::build(const Workload& workload, const PackedSchedule& chosen,
                                     bool scratch) {
  const auto& [schedule, packed] = chosen;
  const auto key = std::make_pair(to_text(workload), to_text(schedule));
  if (const auto known = symbols_.find(key); known != symbols_.end()) return known->second;
  const int number = static_cast<int>(kernels_.size());
  Kernel kernel{name_ + "_kernel_" + std::to_string(number), key.first, key.second, {}};
  kernel.parameters.push_back("const int8_t *input");
  for (const PackedConstant& constant : packed)
    kernel.parameters.push_back(std::string("const ") + name_of(type_of(constant)) + " *" +
                                constant.name);
  if (scratch) kernel.parameters.push_back("void *scratch");
  kernel.parameters.push_back("int8_t *output");
  const bool portable = device_.target.portable_kernels;
  TT_TRY_ASSIGN(const CompiledKernel compiled,
                builds_->kernel(workload, schedule, device_, kernel.symbol,
                                portable ? Emit::kPortableC : Emit::kAssembly));
  if (portable)
    kernel.portable_c = portable_c_function(kernel.symbol, kernel.parameters, compiled.portable_c);
  else
    kernel.assembly =
        clean_assembly(compiled.assembly, kernel.symbol, number, device_.target.family);
  kernels_.push_back(kernel);
  symbols_[key] = kernel.symbol;
  return kernel.symbol;
}

Result<KernelCall> KernelSet::add(const KernelOp& op, int layer,
                                  std::optional<uint64_t> decoding_bytes, ConstantPool& constants,
                                  const Workload* whole) {
  TT_TRY_ASSIGN(Choice choice, choose(op, layer, whole));
  auto& [schedule, packed] = choice.kernel;
  TT_TRY_ASSIGN(const KernelTemplate* t, find_template(schedule));
  KernelCall call;
  call.scratch_bytes = static_cast<uint32_t>(t->scratch_bytes(op.workload, schedule));
  call.takes_scratch = call.scratch_bytes > 0;
  TT_TRY_ASSIGN(call.symbol, build(op.workload, choice.kernel, call.takes_scratch));
  for (PackedConstant& constant : packed) {
    const std::string symbol = layer_name(name_, layer) + "_" + constant.name;
    const size_t value_bytes = constant.element_bytes == 1 ? 1 : 2;  // words: as halves
    const auto bytes = static_cast<uint32_t>(constant.bytes.size());
    const uint32_t offset = aligned_in_arena(call.scratch_bytes);
    auto small = decoding_bytes ? indexed(constant.bytes, value_bytes) : std::nullopt;
    if (small && uint64_t{offset} + bytes > *decoding_bytes) {
      call.undecoded_bytes = std::max(call.undecoded_bytes, offset + bytes);
      small.reset();
    }
    call.constants.emplace_back();
    call.indexed.emplace_back();
    if (!small) {
      call.constants.back() = constants.add(symbol, type_of(constant), std::move(constant.bytes));
      continue;
    }
    const CType values = value_bytes == 1 ? CType::kInt8 : CType::kInt16;
    call.indexed.back() = {constants.add(symbol + "_codes", CType::kUint8, small->codes),
                           constants.add(symbol + "_values", values, small->table),
                           name_of(type_of(constant)),
                           value_bytes,
                           small->bits,
                           bytes,
                           offset};
    call.scratch_bytes = offset + bytes;
  }
  call.schedule = std::move(schedule);
  call.tuned = choice.tuned;
  call.forbidden = std::move(choice.forbidden);
  return call;
}

bool KernelSet::runs_alone(const std::string& symbol) const {
  const auto kernel = std::find_if(kernels_.begin(), kernels_.end(),
                                   [&](const Kernel& k) { return k.symbol == symbol; });
  return kernel != kernels_.end() && kernel->portable_c.empty() && !kernel->assembly.calls_helpers;
}

}  // namespace tinytune
