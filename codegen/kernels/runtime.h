// The compiler's helper functions, for cores that lack an instruction.
//
// Firmware has them from its own compiler's library; images that we link ourselves must bring them.
// An Arm core without a long multiply or a divide (Armv6-M) makes LLVM call the functions of the
// Arm runtime ABI (IHI 0043, section 4.2) instead.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

/// The same for a core of which only its compiler is known, as C with weak symbols: chips have
/// these in ROM that a compiler's own library then lacks (the ESP8266).
std::string_view c_helpers();

/// An object with the helpers that code for `device` may call; empty where the core needs none.
/// Link it lazily: firmware's own definitions come first.
Result<std::vector<uint8_t>> runtime_object(const Device& device);

}  // namespace tinytune
