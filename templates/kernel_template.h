// A kernel template: a family of loop nests for one operator, as a row of functions.
//
// Adding one takes a .cc with these functions, its line of CMake and a row in kernels.inc. Only
// `lower` may run Halide; the other functions are arithmetic on workloads and schedules, so that
// ranking thousands of schedules never runs it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/layer_data.h"
#include "schedules/loop_nest.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace Halide {
class Module;
}  // namespace Halide

namespace tinytune {

/// An array the kernel reads, packed for one schedule from one layer's constants.
struct PackedConstant {
  std::string name;            ///< "weights", "bias", …; a C identifier
  int element_bytes = 1;       ///< 1, 2 or 4; also its alignment
  std::vector<uint8_t> bytes;  ///< little-endian elements
};
/// Returns the total size of these arrays.
uint64_t packed_bytes(std::span<const PackedConstant> constants);

/// The code of a lowered schedule, in one of three forms. `stages` is a Halide module with one
/// function per stage. `llvm_assembly` serves loops that Halide does not express (trip counts read
/// from data); it defines the kernel's exported function itself. So does `c`, which is C11 text for
/// vendor libraries and drivers of accelerators.
struct Lowered {
  std::shared_ptr<Halide::Module> stages;
  std::string llvm_assembly;  ///< used when `stages` is empty
  std::string c;              ///< used when both are empty; needs freestanding headers only
};

inline int64_t no_scratch(const Workload&, const Schedule&) { return 0; }

/// A kernel's exported function is `void f(const int8_t* input, const void* constant…, void*
/// scratch (only if scratch_bytes > 0), int8_t* output)`: plain pointers, no runtime, no state.
/// Input and output are 4-byte aligned, scratch 8.
struct KernelTemplate {
  const char* name;  ///< the first word of a schedule's text
  int version = 1;   ///< raised when a knob's meaning changes: old records then no longer apply
  std::vector<const char*> constants = {"weights", "params"};  ///< what pack() returns, in order
  bool general = false;  ///< takes any layer on any core; slower than a specialised template

  bool (*supports)(const Workload&, const Device&);
  /// Contains legal points only. Deterministic in its arguments.
  ConfigSpace (*space)(const Workload&, const Device&);
  /// A decent register-blocked kernel by a simple rule; a member of the space.
  Schedule (*default_schedule)(const Workload&, const Device&);
  /// Alternatives to the default that the template knows to be good, in the order to try them:
  /// with weaker demands on weights, less scratch or fewer constant bytes. Null: there are none.
  std::vector<Schedule> (*fallback_schedules)(const Workload&, const Device&) = nullptr;
  LoopNest (*describe)(const Workload&, const Schedule&);
  /// kUnsupported: these constants do not permit this schedule (its proof fails for them).
  Result<std::vector<PackedConstant>> (*pack)(const Workload&, const LayerData&, const Schedule&);
  /// Examines the constants once and returns a predicate that is false for schedules for which
  /// pack() will refuse them, so that a search skips these points. The workload and the data must
  /// outlive the predicate. Null: no refusal can be predicted.
  std::function<bool(const Schedule&)> (*may_pack)(const Workload&, const LayerData&) = nullptr;
  int64_t (*scratch_bytes)(const Workload&, const Schedule&) = no_scratch;
  /// Throws what Halide throws; codegen/kernels/kernel.cc is its only caller.
  Lowered (*lower)(const Workload&, const Schedule&, const Device&, const std::string& symbol);
};

/// The `lower` of a kernel in LLVM assembly: makes the Plan of the workload and the schedule, and
/// returns the text that Writer(workload, plan).write(symbol) returns.
template <typename Plan, typename Writer>
Lowered lower_as_text(const Workload& workload, const Schedule& schedule, const Device&,
                      const std::string& symbol) {
  const Plan plan(workload, schedule);
  return {nullptr, Writer(workload, plan).write(symbol)};
}

/// The `scratch_bytes` of a kernel whose plan computes it.
template <typename Plan>
int64_t scratch_of(const Workload& workload, const Schedule& schedule) {
  return Plan(workload, schedule).scratch_bytes(workload);
}

#define KERNEL_TEMPLATE(row) extern const KernelTemplate row;
#include "templates/kernels.inc"
#undef KERNEL_TEMPLATE

/// Every template of this build, in the order of kernels.inc.
std::span<const KernelTemplate> kernel_templates();

/// The template that wrote `schedule`; kNotFound when name or version is not of this build.
Result<const KernelTemplate*> find_template(const Schedule& schedule);

/// The union of the spaces of all templates that support the workload.
ConfigSpace space_of(const Workload& workload, const Device& device);

/// The same, without the points that may_pack excludes for these constants.
ConfigSpace space_of(const Workload& workload, const LayerData& data, const Device& device);

/// The template's default, followed by its fallbacks; empty if it does not support the workload.
std::vector<Schedule> default_schedules_of(const KernelTemplate& t, const Workload& workload,
                                           const Device& device);

/// The defaults and fallbacks of all templates, in the order of kernels.inc.
std::vector<Schedule> default_schedules_of(const Workload& workload, const Device& device);

/// The default of the first template that supports the workload, whatever the weights.
/// kUnsupported: no template takes this workload.
Result<Schedule> default_schedule_of(const Workload& workload, const Device& device);

/// A schedule, and one layer's constants packed for it.
struct PackedSchedule {
  Schedule schedule;
  std::vector<PackedConstant> constants;
};

/// Returns the schedule of an untuned layer: the first of default_schedules_of() that `accepts`, if
/// given, accepts and for which pack() succeeds. kUnsupported: there is none.
Result<PackedSchedule> permitted_default_of(
    const Workload& workload, const LayerData& data, const Device& device,
    const std::function<bool(const Schedule&)>& accepts = nullptr);

}  // namespace tinytune
