// Finds instructions in code without decoding all of it, for hooks that must be added before the
// code runs.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tinytune {

/// Returns the addresses of words in `code`, which starts at `address`, that pass `matches`, at
/// multiples of two bytes; also of data that looks like them.
template <typename Matches>
std::vector<uint32_t> addresses_of_code(std::span<const uint8_t> code, uint32_t address,
                                        const Matches& matches) {
  std::vector<uint32_t> found;
  for (size_t i = 0; i + 4 <= code.size(); i += 2) {
    uint32_t word;
    std::memcpy(&word, &code[i], 4);
    if (matches(word)) found.push_back(address + static_cast<uint32_t>(i));
  }
  return found;
}

}  // namespace tinytune
