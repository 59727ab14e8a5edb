// The interface of every fuzz target: a function that no input bytes may crash. libFuzzer calls it,
// under AddressSanitizer and UndefinedBehaviorSanitizer (`./check --fuzz`). Input that is read
// successfully must be the same after writing and reading it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tinytune::fuzz {

inline std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Unlike assert, it is active in every build.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace tinytune::fuzz
