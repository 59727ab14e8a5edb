// One instruction as the disassembler sees it, freed of LLVM's types, and how each architecture
// reads it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simulator/instruction.h"

namespace tinytune {

struct MachineOperand {
  bool is_register = false;
  uint64_t bit = 0;  ///< of a register; 0 for those that carry no data (RISC-V's zero)
  int64_t immediate = 0;
};

struct MachineCode {
  std::string_view name;  ///< LLVM's name of the opcode: "C_LW", "t2LDR_POST"
  std::vector<MachineOperand> operands;
  unsigned defined = 0;  ///< the first so many operands are written
  unsigned fixed = 0;    ///< operands before a variable list
  uint64_t implicit_reads = 0, implicit_writes = 0;
  bool conditional_branch = false, loads = false, stores = false;
  bool predicated = false;
};

/// Bit of a register by LLVM's name; 0 if it is none that carries data.
uint64_t riscv_register_bit(std::string_view name);
uint64_t arm_register_bit(std::string_view name);
/// Bits of a register of the floating-point unit, from 32 on; 0 if it is none.
uint64_t arm_float_register_bits(std::string_view name);

/// Fills everything but address and size, which are there. False: an instruction that no kernel has
/// business with and that nothing here could answer, like a trap or a read of a cycle counter.
/// With `allow_system`, those that a whole program uses are described too, `by_hand` where the
/// emulator leaves them to us.
bool describe_riscv(const MachineCode& code, bool allow_system, Instruction& out);
/// `floats`: the core has a floating-point unit.
bool describe_arm(const MachineCode& code, bool allow_system, bool floats, Instruction& out);

}  // namespace tinytune
