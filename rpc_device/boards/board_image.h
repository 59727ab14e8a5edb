// A linked ELF as the bytes to write to a board's memory before it runs.
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
  std::vector<uint8_t> bytes;  ///< zeros where the file has none
  bool operator==(const ImageSegment&) const = default;
};

struct BoardImage {
  ElfInfo info;
  std::vector<ImageSegment> segments;

  /// Returns the address of a function or object; nullopt: there is none of that name.
  std::optional<uint32_t> address_of(const std::string& symbol) const;
};

/// kInvalidInput: not an executable for this device, or outside its memories.
Result<BoardImage> read_image(std::span<const uint8_t> elf, const Device& device);

}  // namespace tinytune
