// A whole program as a stock linker wrote it, put where a programmer of flash would put it.
//
// A segment goes to its load address and also to where it runs: start-up code that copies .data
// finds it at the one, and a function that is called without start-up code at the other. The file
// comes from strangers: nothing in it is used before it is checked.
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
  uint32_t entry = 0;                  ///< of code: without the bit that says Thumb
  std::vector<ProgramSymbol> symbols;  ///< of code, by address; each address once
  std::vector<AddressRange> filled;
  /// Arm: the table whose reset vector is the entry, and the stack pointer in it.
  std::optional<uint32_t> vector_table, initial_stack;

  const ProgramSymbol* find(std::string_view name) const;
  /// The symbol that an address belongs to; null before the first.
  const ProgramSymbol* at(uint32_t address) const;
  /// "0x08000124 (main+0x12)".
  std::string place(uint32_t address) const;
};

/// The device's memories as a program sees them: RAM may hold code unless `facts` says otherwise,
/// and what lies side by side is one. kFailed: no host memory.
Status add_program_memories(const Device& device, const ProgramFacts& facts, Memory& memory);

/// kInvalidInput: not an executable for this device, damaged, with a section outside `memory` or
/// two that overlap.
Result<ProgramImage> load_program(std::span<const uint8_t> elf, const Device& device,
                                  Memory& memory);

}  // namespace tinytune
