#include "templates/kernel_template.h"

namespace tinytune {

#ifdef TINYTUNE_USER_KERNELS  // rows of a program outside this tree: cmake/Tinytune.cmake
#define KERNEL_TEMPLATE(row) extern const KernelTemplate row;
#include TINYTUNE_USER_KERNELS
#undef KERNEL_TEMPLATE
#endif

std::span<const KernelTemplate> kernel_templates() {
  static const KernelTemplate kRows[] = {
#define KERNEL_TEMPLATE(row) row,
#include "templates/kernels.inc"
#ifdef TINYTUNE_USER_KERNELS  // rows of a program outside this tree: cmake/Tinytune.cmake
#include TINYTUNE_USER_KERNELS
#endif
#undef KERNEL_TEMPLATE
  };
  return kRows;
}

Result<const KernelTemplate*> find_template(const Schedule& schedule) {
  for (const KernelTemplate& t : kernel_templates())
    if (schedule.template_name() == t.name && schedule.version() == t.version) return &t;
  return Error(ErrorCode::kNotFound, "no template " + schedule.template_name() + "/" +
                                         std::to_string(schedule.version()) + " in this build");
}

uint64_t packed_bytes(std::span<const PackedConstant> constants) {
  uint64_t bytes = 0;
  for (const PackedConstant& constant : constants) bytes += constant.bytes.size();
  return bytes;
}

ConfigSpace space_of(const Workload& workload, const Device& device) {
  ConfigSpace all;
  for (const KernelTemplate& t : kernel_templates())
    if (t.supports(workload, device)) all.append(t.space(workload, device));
  return all;
}

ConfigSpace space_of(const Workload& workload, const LayerData& data, const Device& device) {
  ConfigSpace all;
  for (const KernelTemplate& t : kernel_templates()) {
    if (!t.supports(workload, device)) continue;
    const ConfigSpace whole = t.space(workload, device);
    all.append(t.may_pack == nullptr ? whole : whole.filtered(t.may_pack(workload, data)));
  }
  return all;
}

std::vector<Schedule> default_schedules_of(const KernelTemplate& t, const Workload& workload,
                                           const Device& device) {
  std::vector<Schedule> all;
  if (!t.supports(workload, device)) return all;
  all.push_back(t.default_schedule(workload, device));
  if (t.fallback_schedules == nullptr) return all;
  for (Schedule& fallback : t.fallback_schedules(workload, device))
    if (fallback != all.back()) all.push_back(std::move(fallback));
  return all;
}

std::vector<Schedule> default_schedules_of(const Workload& workload, const Device& device) {
  std::vector<Schedule> all;
  for (const KernelTemplate& t : kernel_templates())
    for (Schedule& schedule : default_schedules_of(t, workload, device))
      all.push_back(std::move(schedule));
  return all;
}

Result<Schedule> default_schedule_of(const Workload& workload, const Device& device) {
  for (const KernelTemplate& t : kernel_templates())
    if (t.supports(workload, device)) return t.default_schedule(workload, device);
  return Error(ErrorCode::kUnsupported, "no template takes " + to_text(workload));
}

Result<PackedSchedule> permitted_default_of(const Workload& workload, const LayerData& data,
                                            const Device& device,
                                            const std::function<bool(const Schedule&)>& accepts) {
  Error none(ErrorCode::kUnsupported, "no template takes " + to_text(workload));
  for (Schedule& schedule : default_schedules_of(workload, device)) {
    if (accepts && !accepts(schedule)) continue;
    TT_TRY_ASSIGN(const KernelTemplate* t, find_template(schedule));
    auto packed = t->pack(workload, data, schedule);
    if (packed) return PackedSchedule{std::move(schedule), std::move(packed).value()};
    none = packed.error();
  }
  return none;
}

}  // namespace tinytune
