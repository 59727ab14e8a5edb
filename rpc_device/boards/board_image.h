// A linked ELF as what has to be in a board's memory before anything of it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "simulator/simulator.h"
#include "tinytune/result.h"

namespace tinytune {

struct ImageSegment {
  uint32_t address = 0;
  std::vector<uint8_t> bytes;  ///< what the file leaves out is zero
  bool operator==(const ImageSegment&) const = default;
};

struct BoardImage {
  ElfInfo info;
  std::vector<ImageSegment> segments;

  /// Nothing: there is no such function or object.
  std::optional<uint32_t> address_of(const std::string& symbol) const;
};

/// kInvalidInput: no executable for this device, or outside its memories.
Result<BoardImage> read_image(std::span<const uint8_t> elf, const Device& device);

}  // namespace tinytune
