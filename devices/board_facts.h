// The facts needed to drive a real board: the [board] table of its device file.
//
// Separate from Device, because simulators do not use it and no simulated measurement depends on
// it. The list of RAM is a permission: memory that it does not name is never written, so that no
// mistake anywhere else can wear out or overwrite a flash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

/// The board's own cycle counter.
enum class CycleCounter {
  kCsr,      ///< RISC-V: the first `cycles` counter of the file's [[counter]] tables
  kDwt,      ///< Arm: DWT_CYCCNT, 32 bit (Armv7-M and later)
  kSysTick,  ///< Arm: SysTick on the core's clock, 24 bit, counts down
  kRunner,   ///< any other core: whatever its runner's source reads
};

/// A word to write before anything runs, for instance to start a clock or stop a watchdog.
struct SetupWrite {
  bool is_csr = false;
  uint32_t where = 0;  ///< an address, or a CSR's number
  uint32_t value = 0;
};

/// Memory and UART of the runner (rpc_device/boards/firmware/). Its memory is reserved: no kernel
/// is placed there. A runner without code bytes is a program of the host system.
struct RunnerPlace {
  std::string core;  ///< a source of the firmware, core_<this>.c; empty: that of the core's family
  uint32_t code_address = 0, code_bytes = 0, ram_address = 0, ram_bytes = 0;
  std::string uart;  ///< a source of the firmware, uart_<this>.c
  uint32_t uart_address = 0, uart_clock_hz = 0, baud = 0;
  uint32_t uart_fraction_bits = 0;  ///< fraction bits of its baud rate divider
  /// Core clock while the runner runs. It sets no PLL, because code and data in RAM without wait
  /// states take the same cycles at any clock. 0: the device's clock_hz.
  uint32_t core_clock_hz = 0;
  std::vector<SetupWrite> setup;  ///< after the board's own: the UART's pins and clock
  /// RISC-V: count and compare registers of a memory-mapped timer with steps of 2^shift cycles; 0:
  /// none.
  uint32_t timer_now = 0, timer_compare = 0, timer_shift = 0;
  /// RISC-V: an interrupt controller (PLIC) and the UART's number there, so that the core can sleep
  /// until a byte comes; 0: none.
  uint32_t plic_address = 0, uart_interrupt = 0;
  /// RAM mapped twice: on the code bus, which takes whole words only, and on the data bus; 0 bytes:
  /// none.
  uint32_t code_bus_address = 0, data_bus_address = 0, bus_bytes = 0;
  std::string loader;  ///< how a chip without a runner gets one; empty: by a debugger or by hand
};

/// QEMU in place of the board: `qemu-system-<system> -M <machine> -cpu <cpu>`, one instruction
/// every 2^icount_shift ns.
struct QemuMachine {
  std::string system, machine, cpu;
  uint32_t icount_shift = 0;
};

struct BoardFacts {
  std::vector<std::string> ram;  ///< names of memories that may be written from outside
  CycleCounter counter = CycleCounter::kCsr;
  uint32_t counter_csr = 0;                   ///< kCsr
  uint32_t inhibit_csr = 0, inhibit_bit = 0;  ///< kCsr: the bit that stops it; 0: none
  struct UniqueId {
    uint32_t address = 0, size_bytes = 0;
  };
  std::optional<UniqueId> unique_id;  ///< location of the chip's unique ID
  std::vector<SetupWrite> setup;      ///< in order
  std::optional<RunnerPlace> runner;  ///< nothing: no runner is known for it
  std::optional<QemuMachine> qemu;    ///< for transport "qemu"

  bool may_write(const Device& device, uint32_t address, uint64_t size_bytes) const;
};

/// Loads the facts of a known device or a device file. Errors are those of load_device(), and
/// kUnsupported: the file has no [board].
Result<BoardFacts> load_board_facts(std::string_view name_or_path);

}  // namespace tinytune
