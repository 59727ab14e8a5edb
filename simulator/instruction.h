// Properties of a machine instruction that the timing model and the counters use.
//
// The form is the same for every core: a register is a bit, so that hazards are masks and nothing
// here depends on an architecture's names.
#pragma once

#include <cstdint>

namespace tinytune {

enum class InstructionKind : uint8_t {
  kAlu,
  kMultiply,      ///< with or without accumulation, 32-bit result
  kMultiplyHigh,  ///< the upper half, or both
  kDivide,
  kLoad,
  kStore,
  kBranch,        ///< conditional
  kJump,          ///< to a constant address, calls included
  kJumpIndirect,  ///< to an address in a register, returns included
};

/// Kind of a floating-point instruction, in addition to InstructionKind.
enum class FloatKind : uint8_t {
  kNone,
  kMove,        ///< between registers, or to and from memory
  kArithmetic,  ///< sums, products, conversions, comparisons
  kAccumulate,  ///< a product added to a sum
  kDivide,      ///< and square roots
};

struct Instruction {
  uint32_t address = 0;
  uint8_t size_bytes = 0;
  InstructionKind kind = InstructionKind::kAlu;
  FloatKind floating = FloatKind::kNone;
  uint8_t words = 1;             ///< registers that a load or store moves
  bool ends_block = false;       ///< may continue elsewhere than at the next instruction
  bool by_hand = false;          ///< the emulator cannot run it, this simulator does
  bool vector = false;           ///< … in the core's vector unit (vector_unit.h)
  bool conditional = false;      ///< a branch, or predicated: may do nothing
  bool backward = false;         ///< a branch to a lower address
  bool to_next = false;          ///< a branch to the instruction after it
  bool call = false;             ///< leaves a return address
  bool register_offset = false;  ///< of a load or store: base plus a register
  bool narrow = false;           ///< a load of a byte or half word, a store of a byte
  bool complex = false;          ///< arithmetic beyond add, logic and move: packed, bit fields
  bool doubles = false;          ///< moves words in pairs, one access each
  bool descending = false;       ///< moves a pair of which the first is the higher register
  bool shifted = false;          ///< arithmetic with a shifted or extended operand
  bool aligned_only = false;     ///< faults on an unaligned address on every core
  bool atomic = false;           ///< reads and writes its word (RISC-V's AMO)
  bool exclusive = false;        ///< loads or stores under a reservation (lr, sc)
  bool flushes = false;          ///< discards fetched code and predictions (fence.i)
  uint8_t memory_block = 0;      ///< block of a load or store (memory_blocks.h); 0: not known
  uint8_t load_wait = 0;         ///< cycles that a load from that block waits for the bus
  int16_t offset = -1;           ///< of a word load from base plus constant; -1 if not one
  uint64_t reads = 0;            ///< registers, one bit each: core registers below 32
  uint64_t writes = 0;
  uint64_t address_reads = 0;  ///< those of `reads` that form an address
  /// Those of `reads` that are needed last: an accumulator, the operand that arithmetic does not
  /// shift, and that of a plain extension (SXTB, UXTH).
  uint64_t late_reads = 0;
  uint32_t vector_code = 0;  ///< encoding of an instruction for the vector unit
  uint64_t added_reads = 0;  ///< of a multiplication: those of `reads` that are not factors

  bool is_load() const { return kind == InstructionKind::kLoad; }
  bool is_store() const { return kind == InstructionKind::kStore; }
  bool is_multiply() const {
    return kind == InstructionKind::kMultiply || kind == InstructionKind::kMultiplyHigh;
  }
  bool is_float() const { return floating != FloatKind::kNone; }
  bool operator==(const Instruction&) const = default;
};

}  // namespace tinytune
