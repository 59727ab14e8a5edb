// UF2: a program in blocks of 512 bytes, each with its target address, for copying to the virtual
// disk of a chip's ROM. Source: github.com/microsoft/uf2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rpc_device/boards/board_image.h"

namespace tinytune {

inline constexpr uint32_t kUf2Rp2040 = 0xE48BFF56;  ///< families: pico-sdk boot/uf2.h

/// Returns the blocks in address order, 256 bytes of memory each; bytes outside segments are zero.
std::vector<uint8_t> uf2_of(std::span<const ImageSegment> segments, uint32_t family);

}  // namespace tinytune
