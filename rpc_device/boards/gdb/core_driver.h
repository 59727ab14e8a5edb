// How a core family is called, counted and caught, in terms of registers and words of memory. All
// that a GDB client has to know of RISC-V and of Cortex-M is here.
//
// A page of code memory is ours (the foothold): calls return to one address in it, traps come out
// at another, and a breakpoint stands on each. So a fault is known the moment it happens, without
// any program on the board.
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

/// Addresses in our page of code memory.
struct Foothold {
  static constexpr uint32_t kBytes = 1024;
  uint32_t address = 0;  ///< 512-byte aligned: vector tables are
  uint32_t traps_to() const { return address + 512; }
  uint32_t returns_to() const { return address + 528; }
};

using RegisterValues = std::map<std::string, uint64_t>;

class CoreDriver {
 public:
  /// Both outlive it.
  CoreDriver(const Device& device, const BoardFacts& facts) : device_(device), facts_(facts) {}
  virtual ~CoreDriver() = default;

  /// The registers that calls need are described. kUnsupported names one that is not.
  virtual Status check(const RegisterSet& registers) const = 0;
  /// What the core says that it is, such as "Cortex-M4"; empty where it does not say. Memory is
  /// read and nothing written.
  virtual Result<std::string> identify(Client&) const { return std::string(); }
  /// What identify() says of the device's own core; empty: anything is taken for it.
  virtual std::string expected() const { return ""; }
  /// After a reset: the foothold, traps, counter.
  virtual Status prepare(Client& client, const Foothold& foothold) = 0;
  /// Registers and stack of a call that begins at `function`, and the counter's start.
  virtual Status begin(Client& client, const Foothold& foothold, const CoreCall& call) = 0;
  /// Since begin(). kFailed: more than the counter can hold.
  virtual Result<uint64_t> cycles(Client& client) = 0;
  /// What a trap was, in words.
  virtual Result<std::string> trap(Client& client) = 0;
  /// A function leaves them as they were; as Register::name.
  virtual std::span<const std::string_view> saved_registers() const = 0;

 protected:
  const Device& device_;
  const BoardFacts& facts_;
};

/// For the device's family.
std::unique_ptr<CoreDriver> make_core_driver(const Device& device, const BoardFacts& facts);

/// One of the drivers that make_core_driver() chooses from.
std::unique_ptr<CoreDriver> make_riscv_driver(const Device& device, const BoardFacts& facts);
std::unique_ptr<CoreDriver> make_arm_m_driver(const Device& device, const BoardFacts& facts);

/// What kind of core has such registers, for people: "a RISC-V core".
std::string kind_of(const RegisterSet& registers);

/// Where the stack of a call begins; `in_memory` are the arguments that have no register.
Result<uint32_t> push_arguments(Client& client, const Device& device,
                                std::span<const uint32_t> in_memory);
/// kUnsupported: it is not described.
Result<Register> need(const RegisterSet& registers, std::string_view name);
Status need_all(const RegisterSet& registers, std::initializer_list<std::string_view> names);

}  // namespace tinytune::gdb
