// The loader in the ROM of Espressif's RISC-V chips: how a runner gets onto one that has none.
//
// A chip that is reset with its boot pin low waits on its serial line. Commands put a program into
// its SRAM and start it there; the flash is never touched. The ROM has no way to ask where a
// transfer stood, so whatever goes wrong is begun anew, from the reset on.
// Source: esptool's documentation, "Serial Protocol"; its reset sequences.
#pragma once

#include <cstdint>
#include <span>

#include "rpc_device/boards/board_image.h"
#include "rpc_device/boards/links/byte_link.h"

namespace tinytune {

/// Resets the chip if the link has the lines for it, writes `segments` into its RAM, and jumps to
/// `entry`; from then on the line has `baud`. kDeviceLost: no ROM answers. kFailed: it refuses, and
/// why; or the link cannot have that rate.
Status load_by_esp_rom(ByteLink& link, std::span<const ImageSegment> segments, uint32_t entry,
                       uint32_t baud);

}  // namespace tinytune
