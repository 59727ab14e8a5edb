// The parts of a device that only whole programs use: [[port]], [[counter]], [[register]] and
// [program] of its file.
//
// Separate from Device, because kernels do not use them: neither measurements nor the hash depend
// on them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// An address with a side effect when a program stores a word there: a test bench's console or
/// exit.
struct Port {
  enum class Does { kPrintCharacter, kPrintHex, kExit };
  uint32_t address = 0;
  Does does = Does::kExit;
};

/// A counter that programs read with RISC-V's CSR instructions.
struct CoreCounter {
  bool counts_cycles = true;                  ///< false: counts instructions
  std::vector<uint32_t> csrs, high_csrs;      ///< CSR numbers of its lower and upper word
  uint32_t inhibit_csr = 0, inhibit_bit = 0;  ///< the bit that stops it; 0: none
};

/// A control and status register of RISC-V whose value after reset or whose writable bits differ
/// from a plain word of zeros.
struct ControlRegister {
  uint32_t csr = 0, reset = 0, writable = 0;
};

struct ProgramFacts {
  std::vector<Port> ports;
  std::vector<CoreCounter> counters;
  std::vector<ControlRegister> registers;
  /// RISC-V: whether misaligned loads and stores fault. On Arm the architecture defines it.
  bool misaligned_faults = true;
  std::vector<std::string> no_fetch;  ///< memories that are not on the instruction bus
};

/// Loads the facts of a known device or a device file. Errors are those of load_device().
Result<ProgramFacts> load_program_facts(std::string_view name_or_path);

}  // namespace tinytune
