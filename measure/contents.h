// A compact description of a buffer's contents.
//
// The link to a real board may be a serial line. Most inputs are random bytes or one repeated
// value, so only a seed or a value is sent, and the board writes the bytes itself.
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

/// Fills `buffer`. kInvalidInput: kBytes whose size differs from the buffer's.
Status write_contents(const Contents& contents, std::span<uint8_t> buffer);

/// Returns the bytes of a buffer of `size` bytes; kBytes must have exactly that size.
std::vector<uint8_t> bytes_of(const Contents& contents, size_t size);

}  // namespace tinytune
