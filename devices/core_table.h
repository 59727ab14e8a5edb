// The cores that device files may name, and what follows from a name.
//
// A device file is data and may only choose from this table: LLVM ends the process on an unknown
// name, and a free clang command line could do anything, for instance load a plug-in. A new board
// of a known core is a file; a new core is a row, once LLVM and the simulator know it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/device.h"

namespace tinytune::internal {

/// An error in a target, and the device file's key at fault.
struct TargetProblem {
  std::string key, what;
};

/// Checks everything but the capabilities; nothing: the target is valid.
std::optional<TargetProblem> problem_with(const Target& target);

/// Returns all capabilities of a valid target's core and features.
std::set<Capability> capabilities_of(const Target& target);

/// Return the CPUs and features of a family, as LLVM spells them; features without their sign.
std::vector<std::string> known_cpus(CoreFamily family);
std::vector<std::string> known_features(CoreFamily family);

/// Returns the CPU that code is generated for: an earlier one if generated code does not use the
/// additions of the newer core.
std::string compiler_cpu(const Target& target);

// An FPU is a target feature that no device file spells: the file lists the capability "fpu", and
// the core determines the feature. Networks use the FPU for float32 tensors; kernels do not, so
// that they also run if start-up code has not enabled it.

/// The FPU's name in a device file's capabilities.
inline constexpr const char* kFpuCapability = "fpu";

/// Returns whether chips with this core may have a single-precision unit that is simulated.
bool may_have_fpu(const Target& target);
bool has_fpu(const Target& target);
/// Requires `may_have_fpu()`.
Target with_fpu(Target target);
/// Returns the target that kernels are built for, and that their records are valid for.
Target without_fpu(Target target);
/// Returns the value of the compiler's -mfpu=; empty: no FPU.
std::string fpu_name(const Target& target);

/// Returns whether the device file must give the core's vector length.
bool has_open_vector_length(const Target& target);

}  // namespace tinytune::internal
