// What a buffer holds, in the fewest bytes that say it.
//
// A link to a real board may be a serial line. Most inputs are random bytes or one value
// throughout, so they cross it as a seed or a value, and the board writes the bytes itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

struct Contents {
  enum class Kind { kFill, kSeed, kBytes };
  Kind kind = Kind::kFill;
  uint8_t fill = 0;   ///< kFill: every byte
  uint64_t seed = 0;  ///< kSeed: byte i is the low byte of output i of Rng(seed), see base/rng.h
  std::vector<uint8_t> bytes;  ///< kBytes: exactly the buffer's size

  static Contents filled_with(uint8_t value) { return {Kind::kFill, value, 0, {}}; }
  static Contents random_from(uint64_t seed) { return {Kind::kSeed, 0, seed, {}}; }
  static Contents of(std::vector<uint8_t> bytes) { return {Kind::kBytes, 0, 0, std::move(bytes)}; }

  bool operator==(const Contents&) const = default;
};

/// kInvalidInput: kBytes of another size than the buffer's.
Status write_contents(const Contents& contents, std::span<uint8_t> buffer);

/// The same as bytes, for a buffer of `size` that they fit.
std::vector<uint8_t> bytes_of(const Contents& contents, size_t size);

}  // namespace tinytune
