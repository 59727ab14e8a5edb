// A device as a key of what was built or counted for it in this process.
#pragma once

#include <string>

#include "codegen/kernels/issue_order.h"
#include "devices/core_table.h"
#include "devices/device.h"

namespace tinytune {

/// Identifies a device. Adds what the device's hash leaves out: portable C kernels, and the FPU.
inline std::string kernel_key(const Device& device) {
  return std::to_string(device.hash) + (device.target.portable_kernels ? " portable " : " ") +
         (internal::has_fpu(device.target) ? "fpu " : "");
}

/// Identifies a compiler's output for one text. Leaves out addresses and costs of memories, so that
/// devices with the same core share compiled objects.
inline std::string compile_key(const Device& device) {
  std::string key = device.target.compiler;
  for (const std::string& argument : clang_arguments(device.target)) key += " " + argument;
  key += " vlen " + std::to_string(device.target.vector_bits) + " align " +
         std::to_string(device.timing.loop_alignment);
  for (const Capability capability : device.target.capabilities)
    key += " " + std::to_string(static_cast<int>(capability));
  if (device.target.portable_kernels) key += " portable";
  if (orders_instructions(device)) {
    key += " " + device.timing.model;
    for (const auto& [name, cycles] : device.timing.cycles)
      key += " " + name + "=" + std::to_string(cycles);
  }
  return key + "\n";
}

}  // namespace tinytune
