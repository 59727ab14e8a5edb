// The cores that device files may name, and what follows from a name.
//
// A table, because LLVM ends the process on a name that it does not know and clang's command line
// can do anything, load a plug-in for one: a device file is data and chooses from what is here. A
// new board of a known core is a file; a new core is a row, once LLVM and the simulator know it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/device.h"

namespace tinytune::internal {

/// What is wrong with a target, and the key of the device file that says it.
struct TargetProblem {
  std::string key, what;
};

/// Everything but the capabilities.
std::optional<TargetProblem> problem_with(const Target& target);

/// Of a target without problems: all that its core and features give.
std::set<Capability> capabilities_of(const Target& target);

/// CPUs and features of a family, as LLVM spells them; features without their sign.
std::vector<std::string> known_cpus(CoreFamily family);
std::vector<std::string> known_features(CoreFamily family);

/// The CPU that code is generated for: an earlier one where kernels do not use what a core added.
std::string compiler_cpu(const Target& target);

// An FPU is a feature of the target that no device file spells: the file lists the capability
// "fpu", which goes with the core's architecture. Networks use it where a tensor is float32;
// kernels do not, so that they run where start-up code has not enabled it.

/// How device files spell it.
inline constexpr const char* kFpuCapability = "fpu";

/// Whether chips with this core may have a single-precision unit that the simulator knows.
bool may_have_fpu(const Target& target);
bool has_fpu(const Target& target);
/// Requires `may_have_fpu()`.
Target with_fpu(Target target);
/// What kernels are built for, and what their records are valid for.
Target without_fpu(Target target);
/// What follows a compiler's -mfpu=; empty: there is no unit.
std::string fpu_name(const Target& target);

/// Whether the device file must say how long the core's vectors are.
bool has_open_vector_length(const Target& target);

}  // namespace tinytune::internal
