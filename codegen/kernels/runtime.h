// Makes objects of an image in this process, if LLVM knows the core: the compiler's helper
// functions, arrays, and assembly.
//
// Firmware has helpers from its own compiler's library. For an Arm core without a long multiply or
// a divide (Armv6-M), LLVM calls functions of the Arm runtime ABI (IHI 0043, section 4.2) instead.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns helpers in C with weak symbols, for cores of which only their compiler is known: if a
/// chip has them in ROM, its compiler's library may lack them (ESP8266).
std::string_view c_helpers();

/// An object with the helpers that code for `device` may call; empty where the core needs none.
/// Link it lazily: firmware's own definitions come first.
Result<std::vector<uint8_t>> runtime_object(const Device& device);

struct ZeroedArray {
  std::string name;
  uint32_t bytes, alignment;
};

/// An object with these arrays in its .bss; made by the core's compiler if LLVM does not know it.
Result<std::vector<uint8_t>> arrays_object(std::span<const ZeroedArray> arrays,
                                           const Device& device);

struct ConstantArray {
  std::string name;
  std::span<const uint8_t> bytes;
  uint32_t alignment;
  std::string section;  ///< of initialised data that start-up code copies; empty: it is read-only
};

/// The object that clang would make of these arrays in C. Only for cores that LLVM knows.
Result<std::vector<uint8_t>> constants_object(std::span<const ConstantArray> arrays,
                                              const Device& device);

/// Assembles text without preprocessor conditions. Only for cores that LLVM knows.
/// kFailed: the first of the assembler's errors.
Result<std::vector<uint8_t>> assembled(std::string_view text, const Device& device);

}  // namespace tinytune
