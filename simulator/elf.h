// Loads an ELF executable into memory. Everything in the file is checked before it is used: images
// arrive over the network.
#pragma once

#include <cstdint>
#include <span>

#include "devices/device.h"
#include "simulator/memory.h"
#include "simulator/simulator.h"
#include "tinytune/result.h"

namespace tinytune {

/// Loads an executable. kInvalidInput: not one that ElfFile::open() accepts, damaged, or a segment
/// outside `memory`. Memory is written only if the whole file is valid.
Result<ElfInfo> load_elf(std::span<const uint8_t> elf, CoreFamily family, Memory& memory);

}  // namespace tinytune
