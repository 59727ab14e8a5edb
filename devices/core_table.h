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

/// Whether the device file must say how long the core's vectors are.
bool has_open_vector_length(const Target& target);

}  // namespace tinytune::internal
