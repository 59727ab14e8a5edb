// The runner's firmware for a device: its sources with the numbers of the device file, built by
// clang, or by the compiler that the file names.
//
// The sources are C11 without a library. Boards differ in start-up code, UART and memory addresses;
// a chip's numbers are in its device file, so most boards need no code.
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

/// Returns the sources, a configuration, a linker script, and a Makefile equivalent to
/// build_firmware(). kUnsupported: the device file has no [board.runner], or names a UART without a
/// source.
Result<std::vector<FirmwareFile>> firmware_files(const Device& device, const BoardFacts& facts);

/// A program of the firmware's sources.
enum class FirmwareProgram {
  kRunner,
  kCounters,  ///< measures quantities that the device file derives, and prints them; some chips
              ///< only
};

bool has_counters(const BoardFacts& facts);

/// Returns the ELF, linked at the runner's addresses. kNotFound: no such compiler here. kFailed: it
/// does not build; the message has the compiler's first line.
Result<std::vector<uint8_t>> build_firmware(const Device& device, const BoardFacts& facts,
                                            FirmwareProgram program = FirmwareProgram::kRunner);

/// The parts of an ELF that a chip's own loader needs.
struct LoadableFirmware {
  std::vector<ImageSegment> segments;  ///< whole words
  uint32_t entry = 0;
};

/// kInvalidInput: not an executable for this device.
Result<LoadableFirmware> loadable(std::span<const uint8_t> elf, const Device& device);

}  // namespace tinytune
