// Arm's PLD, a load that brings a line to the cache and nothing to a register.
//
// The emulator passes over it, so whoever counts cycles has to find it in the code and look at its
// base when it runs. Found are the forms of a base and an offset from -255 to 4095; others do
// nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulator/code_scan.h"

namespace tinytune {

struct ArmPrefetch {
  unsigned base;    ///< register
  uint32_t offset;  ///< bytes from it, modulo 2^32
};

/// `code`: a word of it, its first half low.
inline std::optional<ArmPrefetch> arm_prefetch(uint32_t code) {
  constexpr unsigned kPc = 15;
  const unsigned base = code & 15;
  if (base == kPc) return std::nullopt;
  if ((code & 0xF000FFF0) == 0xF000F890) return ArmPrefetch{base, code >> 16 & 0xFFF};
  if ((code & 0xFF00FFF0) == 0xFC00F810) return ArmPrefetch{base, 0 - (code >> 16 & 0xFF)};
  return std::nullopt;
}

/// Where `code` has them, which begins at `address`; and where constants look like one.
inline std::vector<uint32_t> arm_prefetches(std::span<const uint8_t> code, uint32_t address) {
  return addresses_of_code(code, address, arm_prefetch);
}

}  // namespace tinytune
