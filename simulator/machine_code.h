// An instruction as disassembled, without LLVM's types, and its interpretation for each
// architecture.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simulator/instruction.h"

namespace tinytune {

struct MachineOperand {
  bool is_register = false;
  uint64_t bit = 0;  ///< of a register; 0: one that holds no data (RISC-V's zero)
  int64_t immediate = 0;
};

struct MachineCode {
  std::string_view name;  ///< LLVM's name of the opcode: "C_LW", "t2LDR_POST"
  std::vector<MachineOperand> operands;
  unsigned defined = 0;  ///< number of leading operands that are written
  unsigned fixed = 0;    ///< operands before a variable list
  uint64_t implicit_reads = 0, implicit_writes = 0;
  bool conditional_branch = false, loads = false, stores = false;
  bool predicated = false;
};

/// Return the bit of a register by LLVM's name; 0: not a register that holds data.
uint64_t riscv_register_bit(std::string_view name);
uint64_t arm_register_bit(std::string_view name);
/// Returns the bits of a floating-point register, from 32 on; 0: not such a register.
uint64_t arm_float_register_bits(std::string_view name);

/// Sets all fields of `out` except address and size, which are set already. False: an instruction
/// that kernels may not use, like a trap or a read of a cycle counter. With `allow_system`, those
/// that whole programs use are described too, with `by_hand` if the emulator does not execute them.
bool describe_riscv(const MachineCode& code, bool allow_system, Instruction& out);
/// `floats`: the core has a floating-point unit.
bool describe_arm(const MachineCode& code, bool allow_system, bool floats, Instruction& out);

}  // namespace tinytune
