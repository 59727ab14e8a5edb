// What the timing model and the counters need to know of one machine instruction.
//
// One form for every core: a register is a bit, so that hazards are masks and nothing here knows
// an architecture's names.
#pragma once

#include <cstdint>

namespace tinytune {

enum class InstructionKind : uint8_t {
  kAlu,
  kMultiply,
  kMultiplyHigh,
  kDivide,
  kLoad,
  kStore,
  kBranch,        ///< conditional
  kJump,          ///< to a constant address, calls included
  kJumpIndirect,  ///< to an address in a register, returns included
};

struct Instruction {
  uint32_t address = 0;
  uint8_t size_bytes = 0;
  InstructionKind kind = InstructionKind::kAlu;
  uint64_t reads = 0;  ///< registers, one bit each
  uint64_t writes = 0;
  uint64_t address_reads = 0;  ///< those of `reads` that form an address

  bool ends_block() const { return kind >= InstructionKind::kBranch; }
  bool is_load() const { return kind == InstructionKind::kLoad; }
  bool is_store() const { return kind == InstructionKind::kStore; }
  bool is_multiply() const {
    return kind == InstructionKind::kMultiply || kind == InstructionKind::kMultiplyHigh;
  }
};

}  // namespace tinytune
