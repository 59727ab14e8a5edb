// Loads a runner through the loader in the ROM of Espressif's RISC-V chips.
//
// A chip that is reset with its boot pin low waits for commands on its serial line. They write a
// program into its SRAM and start it there; the flash is never touched. The ROM cannot report the
// state of a transfer, so after any error everything is repeated, from the reset on.
// Source: esptool's documentation, "Serial Protocol"; its reset sequences.
#pragma once

#include <cstdint>
#include <span>

#include "rpc_device/boards/board_image.h"
#include "rpc_device/boards/links/byte_link.h"

namespace tinytune {

/// Resets the chip if the link has control lines, writes `segments` into its RAM, and jumps to
/// `entry`; from then on the line has the rate `baud`. kDeviceLost: no ROM answers. kFailed: it
/// refuses, with the reason; or the link does not support that rate.
Status load_by_esp_rom(ByteLink& link, std::span<const ImageSegment> segments, uint32_t entry,
                       uint32_t baud);

}  // namespace tinytune
