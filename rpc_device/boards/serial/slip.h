// SLIP, RFC 1055: messages between END bytes. The runner's frames and the ESP chips' ROM loader use
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tinytune::serial {

/// Encodes a message, with an END on both sides.
std::vector<uint8_t> slip_encoded(std::span<const uint8_t> message);

class SlipReader {
 public:
  /// Larger than any message; a longer one is dropped.
  static constexpr size_t kLongest = 1 << 16;

  void feed(std::span<const uint8_t> bytes);
  /// Returns the next complete, well-formed message, in order; never an empty one.
  std::optional<std::vector<uint8_t>> next();
  void clear();

 private:
  std::vector<uint8_t> pending_;  ///< fed, not yet read
  std::vector<uint8_t> message_;  ///< current message so far
  bool escaped_ = false, broken_ = false;
};

}  // namespace tinytune::serial
