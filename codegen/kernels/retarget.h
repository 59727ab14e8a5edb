// LLVM for a device: its target machine, modules retargeted to it, and process-wide switches.
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

/// `loop_alignment`: alignment of loop heads in bytes; 0: the target's own.
/// kUnsupported: LLVM was built without this target, or the core lacks a capability that the device
/// lists.
Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Device& device,
                                                                 unsigned loop_alignment = 0);

/// Gives the module the machine's triple and data layout and drops what would contradict them.
void retarget(llvm::Module& module, llvm::TargetMachine& machine);

/// Origin of the pointers that a kernel's loops increment.
enum class Pointers {
  kByHalide,    ///< none: addresses are computed from indices, and LLVM finds the increments
  kByTemplate,  ///< the template's text has them; LLVM's search would take half of an emission
};

/// Sets LLVM's process-wide switches for one build, before any pass runs.
/// `scheduler`: one of templates/switches.h.
void set_switches(const std::string& scheduler, Pointers pointers = Pointers::kByHalide);

}  // namespace tinytune
