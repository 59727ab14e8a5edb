// Roles of registers in a call, by a core's calling convention.
#pragma once

#include <string>
#include <vector>

#include "devices/device.h"

namespace tinytune {

/// Roles of a core's registers, as numbers of that core.
struct RegisterRoles {
  std::vector<unsigned> arguments;
  std::vector<unsigned> saved;  ///< by the callee, the stack pointer excluded
  std::vector<std::string> saved_names;
  unsigned stack_pointer = 0, link = 0, result = 0;
};
const RegisterRoles& register_roles(CoreFamily family);

}  // namespace tinytune
