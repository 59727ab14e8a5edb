// Arm's PLD, which loads a line into the cache and nothing into a register.
//
// The emulator ignores it, so engines find it in the code for the cycle model, and read its base
// when it runs. Detects base registers with offsets from -255 to 4095; other forms have no effect
// here.
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

/// Decodes a PLD; nothing: another instruction. `code` has the first half word in its low bits.
inline std::optional<ArmPrefetch> arm_prefetch(uint32_t code) {
  constexpr unsigned kPc = 15;
  const unsigned base = code & 15;
  if (base == kPc) return std::nullopt;
  if ((code & 0xF000FFF0) == 0xF000F890) return ArmPrefetch{base, code >> 16 & 0xFFF};
  if ((code & 0xFF00FFF0) == 0xFC00F810) return ArmPrefetch{base, 0 - (code >> 16 & 0xFF)};
  return std::nullopt;
}

/// Returns the addresses of PLDs in `code`, which begins at `address`; also of constants that look
/// like one.
inline std::vector<uint32_t> arm_prefetches(std::span<const uint8_t> code, uint32_t address) {
  return addresses_of_code(code, address, arm_prefetch);
}

}  // namespace tinytune
