// From Halide's LLVM module to one a microcontroller's ABI agrees with.
//
// Two steps, both in place: every function is moved to the device's target, and one exported
// function with plain pointers is wrapped around the stages that a template lowered to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/device.h"
#include "tinytune/result.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace tinytune {

/// One function that a template produced: its symbol, and the buffers it takes, by name.
struct Stage {
  std::string symbol;
  std::vector<std::string> buffers;
};

/// `loop_alignment`: of loops' heads, in bytes; 0: as the target has them.
/// kUnsupported: LLVM was built without this target, or the core lacks a capability that the device
/// lists.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Device& device,
                                                                 unsigned loop_alignment = 0);

/// Gives the module the machine's triple and data layout and drops what would contradict them.
void retarget(llvm::Module& module, llvm::TargetMachine& machine);

/// Adds `void symbol(pointer…)`, one parameter for each of `parameters`, which calls the stages in
/// order with halide_buffer_t structs on its stack that hold nothing but the host pointer. The
/// stages are inlined and the structs vanish: the templates fix every bound and stride.
/// kFailed: a stage reads another field of a struct, where there would be garbage.
Status wrap_stages(llvm::Module& module, const std::string& symbol,
                   const std::vector<std::string>& parameters, const std::vector<Stage>& stages);

/// Inlines, cleans up, and leaves only `symbol` visible.
void optimise(llvm::Module& module, llvm::TargetMachine& machine);

/// Sets LLVM's process-wide switches for one build, before Halide runs its own passes.
/// `scheduler`: one of templates/switches.h.
void set_switches(const std::string& scheduler);

}  // namespace tinytune
