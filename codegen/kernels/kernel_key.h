// A device as a key of what was built or counted for it in this process.
#pragma once

#include <string>

#include "devices/core_table.h"
#include "devices/device.h"

namespace tinytune {

/// The hash of its records leaves out whether kernels are written in portable C, and the FPU.
inline std::string kernel_key(const Device& device) {
  return std::to_string(device.hash) + (device.target.portable_kernels ? " portable " : " ") +
         (internal::has_fpu(device.target) ? "fpu " : "");
}

}  // namespace tinytune
