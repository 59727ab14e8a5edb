// Calls, cycle counts and traps of a core family, by registers and words of memory. Everything that
// the GDB client needs to know about RISC-V and Cortex-M is here.
//
// A page of code memory (the foothold) is reserved: calls return to one address in it, traps go to
// another, and both have a breakpoint. So a fault is detected at once, without a program on the
// board.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>

#include "devices/board_facts.h"
#include "devices/device.h"
#include "rpc_device/boards/gdb/client.h"
#include "rpc_device/boards/remote_core.h"

namespace tinytune::gdb {

/// Addresses in the reserved page of code memory.
struct Foothold {
  static constexpr uint32_t kBytes = 1024;
  uint32_t address = 0;  ///< 512-byte aligned: vector tables are
  uint32_t traps_to() const { return address + 512; }
  uint32_t returns_to() const { return address + 528; }
};

using RegisterValues = std::map<std::string, uint64_t>;

class CoreDriver {
 public:
  /// Both must outlive the driver.
  CoreDriver(const Device& device, const BoardFacts& facts) : device_(device), facts_(facts) {}
  virtual ~CoreDriver() = default;

  /// Checks that the registers needed for calls are described. kUnsupported names a missing one.
  virtual Status check(const RegisterSet& registers) const = 0;
  /// Returns the core's name from its identification registers, such as "Cortex-M4"; empty:
  /// unknown. Only reads memory.
  virtual Result<std::string> identify(Client&) const { return std::string(); }
  /// Returns the result of identify() for the device's core; empty: any core is accepted.
  virtual std::string expected() const { return ""; }
  /// Sets up the foothold, traps and counter after a reset.
  virtual Status prepare(Client& client, const Foothold& foothold) = 0;
  /// Sets up registers and stack for a call of call.function, and the counter's start.
  virtual Status begin(Client& client, const Foothold& foothold, const CoreCall& call) = 0;
  /// Returns the cycles since begin(). kFailed: the counter overflowed.
  virtual Result<uint64_t> cycles(Client& client) = 0;
  /// Describes a trap for people.
  virtual Result<std::string> trap(Client& client) = 0;
  /// Returns the callee-saved registers, as Register::name.
  virtual std::span<const std::string_view> saved_registers() const = 0;

 protected:
  const Device& device_;
  const BoardFacts& facts_;
};

/// Makes the driver of the device's family.
std::unique_ptr<CoreDriver> make_core_driver(const Device& device, const BoardFacts& facts);

/// The drivers from which make_core_driver() chooses.
std::unique_ptr<CoreDriver> make_riscv_driver(const Device& device, const BoardFacts& facts);
std::unique_ptr<CoreDriver> make_arm_m_driver(const Device& device, const BoardFacts& facts);

/// Returns the kind of core that has such registers, for people: "a RISC-V core".
std::string kind_of(const RegisterSet& registers);

/// Writes the arguments that are passed on the stack; returns the call's stack pointer.
Result<uint32_t> push_arguments(Client& client, const Device& device,
                                std::span<const uint32_t> in_memory);
/// Returns the register of that name. kUnsupported: it is not described.
Result<Register> need(const RegisterSet& registers, std::string_view name);
Status need_all(const RegisterSet& registers, std::initializer_list<std::string_view> names);

}  // namespace tinytune::gdb
