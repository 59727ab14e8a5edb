// LLVM for a device: its machine, modules that others wrote moved to it, and process-wide switches.
#pragma once

#include <memory>
#include <string>

#include "devices/device.h"
#include "tinytune/result.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace tinytune {

/// `loop_alignment`: of loops' heads, in bytes; 0: as the target has them.
/// kUnsupported: LLVM was built without this target, or the core lacks a capability that the device
/// lists.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Device& device,
                                                                 unsigned loop_alignment = 0);

/// Gives the module the machine's triple and data layout and drops what would contradict them.
void retarget(llvm::Module& module, llvm::TargetMachine& machine);

/// Who chose the pointers that a kernel's loops step.
enum class Pointers {
  kByHalide,    ///< nobody: every address is computed from indices, and LLVM finds the steps
  kByTemplate,  ///< text of ours steps them already; LLVM's search would take half of an emission
};

/// Sets LLVM's process-wide switches for one build, before any pass runs.
/// `scheduler`: one of templates/switches.h.
void set_switches(const std::string& scheduler, Pointers pointers = Pointers::kByHalide);

}  // namespace tinytune
