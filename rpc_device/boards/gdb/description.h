// What a GDB server says of its target, in XML: registers with their names, and a map of memory.
//
// Registers are known by name only. QEMU, OpenOCD and J-Link number a RISC-V core's CSRs
// differently and a Cortex-M's xPSR too, so no number is ever assumed. Names differ as well:
// probe-rs has x10 where OpenOCD has a0, some have r13 or SP where others have sp. Each is kept
// under the name that the calling conventions give it, in lower case.
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

  /// Null: the target has none of that name.
  const Register* find(std::string_view name) const;
  /// A RISC-V CSR: by its usual name if it is described so, else by the numbers of its neighbours,
  /// if all that are described are numbered from one base (probe-rs counts those that it has).
  std::optional<Register> csr(uint32_t number) const;
  /// In the order of a `g` reply.
  const std::vector<Register>& all() const { return registers_; }

 private:
  std::vector<Register> registers_;  ///< by number
};

/// Reads the document called `name` of the target description.
using ReadDocument = std::function<Result<std::string>(const std::string& name)>;

/// "target.xml" and what it includes. kInvalidInput: no well-formed description, or more documents
/// and registers than any target has.
Result<RegisterSet> read_registers(const ReadDocument& read);

struct MemoryArea {
  enum class Kind { kRam, kRom, kFlash };
  Kind kind = Kind::kRam;
  uint64_t address = 0, size_bytes = 0;
};

/// kInvalidInput: no well-formed memory map.
Result<std::vector<MemoryArea>> parse_memory_map(std::string_view xml);

}  // namespace tinytune::gdb
