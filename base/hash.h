// FNV-1a, 64 bit: names and checksums that are the same on every machine and in every release.
//
// Not secure against adversaries, and not for hash tables. Source of the constants: RFC draft
// draft-eastlake-fnv, section 5.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tinytune {

class Fnv1a {
 public:
  Fnv1a& add(std::string_view bytes) {
    for (unsigned char c : bytes) state_ = (state_ ^ c) * 0x100000001b3ULL;
    return *this;
  }
  Fnv1a& add(std::span<const uint8_t> bytes) {
    return add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325ULL;
};

inline uint64_t fnv1a(std::string_view bytes) { return Fnv1a().add(bytes).value(); }

/// Returns 16 lower-case hexadecimal digits.
std::string hex64(uint64_t value);

}  // namespace tinytune
