// Numbers as bytes, the lowest first: the order of every core, file and wire format here.
//
// Byte by byte, so that neither the host's own order nor an alignment matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tinytune {

/// All bytes of an integer, behind those that are there.
template <typename T>
void append_little_endian(std::vector<uint8_t>& bytes, T value) {
  for (size_t i = 0; i < sizeof value; ++i)
    bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
}

/// The same for each of them.
template <typename Numbers>
std::vector<uint8_t> little_endian_bytes(const Numbers& numbers) {
  std::vector<uint8_t> bytes;
  for (const auto number : numbers) append_little_endian(bytes, number);
  return bytes;
}

/// The integer that begins at `at`; all its bytes are there.
template <typename T>
T little_endian_at(std::span<const uint8_t> bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = sizeof(T); i-- > 0;) value = value << 8 | bytes[at + i];
  return static_cast<T>(value);
}

}  // namespace tinytune
