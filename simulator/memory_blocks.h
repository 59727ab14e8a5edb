// Blocks of memory between which loads do not overlap, and the block that a load reads from.
//
// On a Cortex-M4 a load right after another takes one cycle instead of two, but only if both read
// from the same block: loads from SRAM1 and SRAM3 of an STM32L4R5 do not overlap. A bus may also
// need a cycle to turn to a block, once for consecutive accesses to it; stores wait for it in their
// buffer.
// The cycles of code are computed once, when it first runs, and so are the blocks of its loads:
// from the registers that form their addresses, tracked from their values at entry. A pointer stays
// in its block while code increments it. A pointer that the code has just loaded is unknown, and
// counts as overlapping. Code that is called for tensors in one block, and later for others
// elsewhere, keeps the cycles of the first call.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "devices/device.h"
#include "simulator/instruction.h"
#include "simulator/simulator.h"

namespace tinytune {

class MemoryBlocks {
 public:
  /// Each memory of the device's file is a block, except that memories with the same wait for the
  /// bus form one.
  explicit MemoryBlocks(const Device& device);

  /// Returns the number of a block, from 1; 0: outside of all.
  uint8_t at(uint32_t address) const;

  /// Fills `memory_block` and `load_wait` of the loads in `code`, which is about to run.
  void find(std::span<Instruction> code, const std::function<uint32_t(unsigned)>& registers) const;

 private:
  struct Part {
    AddressRange range;
    uint8_t block = 0;
    uint8_t load_wait = 0;
  };
  uint8_t load_wait(uint8_t block) const;

  std::vector<Part> parts_;
};

}  // namespace tinytune
