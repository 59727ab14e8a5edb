// A device as a key of what was built or counted for it in this process.
#pragma once

#include <string>

#include "devices/device.h"

namespace tinytune {

/// What the hash of its records leaves out is whether kernels are written in portable C.
inline std::string kernel_key(const Device& device) {
  return std::to_string(device.hash) + (device.target.portable_kernels ? " portable " : " ");
}

}  // namespace tinytune
