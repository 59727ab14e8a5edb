// Objects that complete an image which is linked here: the compiler's helper functions, and the
// arrays that a caller of the network would have.
//
// Firmware has helpers from its own compiler's library. An Arm core without a long multiply or a
// divide (Armv6-M) makes LLVM call the functions of the Arm runtime ABI (IHI 0043, section 4.2)
// instead.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

/// Helpers in C with weak symbols, for cores of which only their compiler is known: chips have
/// these in ROM that a compiler's own library then lacks (the ESP8266).
std::string_view c_helpers();

/// An object with the helpers that code for `device` may call; empty where the core needs none.
/// Link it lazily: firmware's own definitions come first.
Result<std::vector<uint8_t>> runtime_object(const Device& device);

struct ZeroedArray {
  std::string name;
  uint32_t bytes, alignment;
};

/// An object with these arrays in its .bss, without a compiler's process where LLVM knows the core.
Result<std::vector<uint8_t>> arrays_object(std::span<const ZeroedArray> arrays,
                                           const Device& device);

}  // namespace tinytune
