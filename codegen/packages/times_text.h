// The lines in which a package's bench program says how long its layers took on a chip, among
// whatever else a console shows:
//
//   @times1 network kws esp32c3 0123456789abcdef0123456789abcdef *a1b2
//   @times1 layer 3 CONV_2D 84231 84231 84230 84231 84231 *0c9f
//   @times1 transform 2 412 412 412 412 412 *77e0
//   @times1 inference 1203441 1203441 1203440 1203441 1203441 *5d21
//   @times1 exact 0 *90be
//   @times1 end 14 *41aa
//
// Numbers of cycles are one for each round, `-` where the chip's counter is too short for it. A
// layer's number is the model's operator; a transform between layouts, which no operator owns, has
// the number of its step. `exact` is what `<name>_smoke` returns; `end` counts the lines before it.
// Behind '*' is the Fletcher checksum of the bytes before " *": a console may lose bytes, and a
// number without one of its digits is still a number.
#pragma once

#include <cstdint>
#include <string_view>

namespace tinytune {

inline constexpr std::string_view kTimesMark = "@times1 ";

/// Returns Fletcher's checksum of 16 bits, its second sum in the upper half.
inline uint16_t times_checksum(std::string_view bytes) {
  uint32_t first = 0, second = 0;
  for (const char byte : bytes) {
    first = (first + static_cast<unsigned char>(byte)) % 255;
    second = (second + first) % 255;
  }
  return static_cast<uint16_t>(second << 8 | first);
}

}  // namespace tinytune
