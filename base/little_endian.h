// Integers as little-endian bytes: the order of every core, file and wire format here.
//
// Converts byte by byte, so that neither the host's byte order nor alignment matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tinytune {

/// Appends all bytes of an integer.
template <typename T>
void append_little_endian(std::vector<uint8_t>& bytes, T value) {
  for (size_t i = 0; i < sizeof value; ++i)
    bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
}

/// Returns the bytes of all `numbers`.
template <typename Numbers>
std::vector<uint8_t> little_endian_bytes(const Numbers& numbers) {
  std::vector<uint8_t> bytes;
  for (const auto number : numbers) append_little_endian(bytes, number);
  return bytes;
}

/// Returns the integer that begins at `at`; `bytes` must contain all of it.
template <typename T>
T little_endian_at(std::span<const uint8_t> bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = sizeof(T); i-- > 0;) value = value << 8 | bytes[at + i];
  return static_cast<T>(value);
}

}  // namespace tinytune
