// A whole program as a standard linker wrote it, loaded as a flash programmer would load it.
//
// A segment is copied to its load address, where start-up code that copies .data expects it, and to
// its run address, where a function called without start-up code expects it. The file comes from
// strangers: everything in it is checked before it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "devices/program_facts.h"
#include "simulator/memory.h"
#include "simulator/simulator.h"
#include "tinytune/result.h"

namespace tinytune {

struct ProgramSymbol {
  std::string name;
  uint32_t address = 0, size_bytes = 0;
};

struct ProgramImage {
  uint32_t entry = 0;                  ///< address of code, without the Thumb bit
  std::vector<ProgramSymbol> symbols;  ///< of code, sorted by address; one per address
  std::vector<AddressRange> filled;
  /// Arm: the table whose reset vector is the entry, and the stack pointer in it.
  std::optional<uint32_t> vector_table, initial_stack;

  const ProgramSymbol* find(std::string_view name) const;
  /// Returns the last symbol at or before an address; null: before the first.
  const ProgramSymbol* at(uint32_t address) const;
  /// Returns "0x08000124 (main+0x12)".
  std::string place(uint32_t address) const;
};

/// Adds the device's memories as a program sees them: RAM may hold code unless `facts` says
/// otherwise, and adjacent memories are one. kFailed: no host memory.
Status add_program_memories(const Device& device, const ProgramFacts& facts, Memory& memory);

/// Loads a program. kInvalidInput: not an executable for this device, damaged, a section outside
/// `memory`, or overlapping sections.
Result<ProgramImage> load_program(std::span<const uint8_t> elf, const Device& device,
                                  Memory& memory);

}  // namespace tinytune
