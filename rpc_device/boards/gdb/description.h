// A GDB server's description of its target, in XML: registers with their names, and a memory map.
//
// Registers are identified by name only. QEMU, OpenOCD and J-Link number a RISC-V core's CSRs
// differently and a Cortex-M's xPSR too, so no number is ever assumed. Names differ as well:
// probe-rs has x10 where OpenOCD has a0, some have r13 or SP where others have sp. Each register is
// stored under its name in the calling convention, in lower case.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune::gdb {

struct Register {
  std::string name;     ///< "a0", "sp", "fp" (never "s0" or "x8"), "mcycle", "xpsr"
  uint32_t number = 0;  ///< for `p` and `P`
  uint32_t bits = 32;
};

class RegisterSet {
 public:
  RegisterSet() = default;
  explicit RegisterSet(std::vector<Register> registers);

  /// Returns the register of that name; null: the target has none.
  const Register* find(std::string_view name) const;
  /// Finds a RISC-V CSR by its usual name if that is described, else by the numbers of described
  /// CSRs if all have one base (probe-rs instead counts the CSRs that it has).
  std::optional<Register> csr(uint32_t number) const;
  /// In the order of a `g` reply.
  const std::vector<Register>& all() const { return registers_; }

 private:
  std::vector<Register> registers_;  ///< by number
};

/// Reads the document called `name` of the target description.
using ReadDocument = std::function<Result<std::string>(const std::string& name)>;

/// Reads "target.xml" and its includes. kInvalidInput: not a well-formed description, or more
/// documents or registers than any target has.
Result<RegisterSet> read_registers(const ReadDocument& read);

struct MemoryArea {
  enum class Kind { kRam, kRom, kFlash };
  Kind kind = Kind::kRam;
  uint64_t address = 0, size_bytes = 0;
};

/// kInvalidInput: not a well-formed memory map.
Result<std::vector<MemoryArea>> parse_memory_map(std::string_view xml);

}  // namespace tinytune::gdb
