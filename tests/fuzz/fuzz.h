// What every fuzz target here is: a function of bytes that no bytes may crash. libFuzzer calls it,
// under AddressSanitizer and UndefinedBehaviorSanitizer (`./check --fuzz`). Where something is read
// well, writing and reading it again must give the same.
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

/// Not an assert: it holds in every build.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace tinytune::fuzz
