// Finds instructions in bytes of code without decoding them, for hooks that have to be there before
// the code runs.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tinytune {

/// Where in `code`, which starts at `address`, a word on a boundary of two bytes is what `matches`
/// looks for; of data that only looks like it too.
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
