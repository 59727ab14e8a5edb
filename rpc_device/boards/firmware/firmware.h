// The runner's firmware for a device: its sources with the numbers of the device file, built by
// clang, or by the compiler that the file names.
//
// The sources are C11 without a library. What differs between boards is a start, a UART and where
// memory is; a chip's numbers are in its device file, so most boards are data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/board_facts.h"
#include "devices/device.h"
#include "rpc_device/boards/board_image.h"
#include "tinytune/result.h"

namespace tinytune {

struct FirmwareFile {
  std::string name, contents;
};

/// The sources, a configuration, a linker script, and a Makefile that does what build_firmware()
/// does. kUnsupported: the device file has no [board.runner], or names a UART that there is no
/// source for.
Result<std::vector<FirmwareFile>> firmware_files(const Device& device, const BoardFacts& facts);

/// A program of the firmware's sources.
enum class FirmwareProgram {
  kRunner,
  kCounters,  ///< counts what its device file derives, and prints it: of chips that have one
};

bool has_counters(const BoardFacts& facts);

/// The ELF, at the runner's addresses. kNotFound: no such compiler here. kFailed: it does
/// not build, with the compiler's first line.
Result<std::vector<uint8_t>> build_firmware(const Device& device, const BoardFacts& facts,
                                            FirmwareProgram program = FirmwareProgram::kRunner);

/// What a chip's own loader wants of an ELF.
struct LoadableFirmware {
  std::vector<ImageSegment> segments;  ///< whole words
  uint32_t entry = 0;
};

/// kInvalidInput: no executable for this device.
Result<LoadableFirmware> loadable(std::span<const uint8_t> elf, const Device& device);

}  // namespace tinytune
