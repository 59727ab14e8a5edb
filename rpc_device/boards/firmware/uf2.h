// UF2: a program in blocks of 512 bytes, each with the address that it is for, as a disk that a
// chip's ROM pretends to be takes it. Source: github.com/microsoft/uf2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rpc_device/boards/board_image.h"

namespace tinytune {

inline constexpr uint32_t kUf2Rp2040 = 0xE48BFF56;  ///< families: pico-sdk boot/uf2.h

/// In the order of addresses, 256 of them a block; what no segment has of a block is zero.
std::vector<uint8_t> uf2_of(std::span<const ImageSegment> segments, uint32_t family);

}  // namespace tinytune
