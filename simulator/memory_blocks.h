// Blocks of memory whose loads do not overlap, and which of them a load reads from.
//
// On a Cortex-M4 a load right behind another takes one cycle instead of two, but only where both
// read from the same block: between SRAM1 and SRAM3 of an STM32L4R5 there is nothing to overlap.
// A bus may also need a cycle to turn to a block, once for accesses that follow each other; stores
// wait for it in their buffer.
// The cycles of code are worked out once, when it first runs, so that is when its loads are told
// their blocks: by the registers that form their addresses, followed from their values at entry.
// A pointer stays in its block while code steps it; one that the code has just loaded is not
// known, and counts as if it overlapped. Code that is called for tensors in one block, and later
// for others elsewhere, keeps the cycles of the first call.
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
  /// Each memory of the device's file is one, but those that wait alike for the bus are parts of
  /// the same.
  explicit MemoryBlocks(const Device& device);

  /// Numbers from 1; 0 outside of all.
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
