// What whoever drives a real board must know of it: [board] of its device file.
//
// Apart from Device, because simulators never meet it and no measurement of theirs depends on it.
// The list of RAM is a permission: memory that it does not name is never written, so that no
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

/// What counts cycles on the board itself.
enum class CycleCounter {
  kCsr,      ///< RISC-V: the first `cycles` counter of the file's [[counter]] tables
  kDwt,      ///< Arm: DWT_CYCCNT, 32 bit (Armv7-M and later)
  kSysTick,  ///< Arm: SysTick on the core's clock, 24 bit, counts down
  kRunner,   ///< any other core: whatever its runner's source reads
};

/// One word to write before anything runs: a clock to start, a watchdog to stop.
struct SetupWrite {
  bool is_csr = false;
  uint32_t where = 0;  ///< an address, or a CSR's number
  uint32_t value = 0;
};

/// Where the runner of rpc_device/boards/firmware/ lives, and what it talks through. The memory is
/// its own: no kernel is put there. A runner without code bytes is a program of this system.
struct RunnerPlace {
  std::string core;  ///< a source of the firmware, core_<this>.c; empty: that of the core's family
  uint32_t code_address = 0, code_bytes = 0, ram_address = 0, ram_bytes = 0;
  std::string uart;  ///< a source of the firmware, uart_<this>.c
  uint32_t uart_address = 0, uart_clock_hz = 0, baud = 0;
  uint32_t uart_fraction_bits = 0;  ///< of its divider, where that has any beyond clock / baud
  /// Of the core while the runner has it, which sets no PLL: code and data in RAM without wait
  /// states take the same cycles at any clock. 0: the device's own.
  uint32_t core_clock_hz = 0;
  std::vector<SetupWrite> setup;  ///< after the board's own: the UART's pins and clock
  /// RISC-V: a timer in memory, now and compare, whose step is 2^shift cycles; 0: none.
  uint32_t timer_now = 0, timer_compare = 0, timer_shift = 0;
  /// RISC-V: an interrupt controller (PLIC) and the UART's number there, so that the core can sleep
  /// until a byte comes; 0: none.
  uint32_t plic_address = 0, uart_interrupt = 0;
  /// RAM that is seen twice: where it has code, and only whole words may be read and written, and
  /// where it has data; 0 bytes: there is none.
  uint32_t code_bus_address = 0, data_bus_address = 0, bus_bytes = 0;
  std::string loader;  ///< how a chip without a runner gets one; empty: by a debugger or by hand
};

/// A QEMU that is the board: `qemu-system-<system> -M <machine> -cpu <cpu>`, one instruction every
/// 2^icount_shift ns.
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
  std::optional<UniqueId> unique_id;  ///< bytes that no other chip has
  std::vector<SetupWrite> setup;      ///< in order
  std::optional<RunnerPlace> runner;  ///< nothing: no runner is known for it
  std::optional<QemuMachine> qemu;    ///< of transport "qemu"

  bool may_write(const Device& device, uint32_t address, uint64_t size_bytes) const;
};

/// Of a known device or a device file. Errors are those of load_device(); also kUnsupported: the
/// file has no [board], so nobody has said how such a board is driven.
Result<BoardFacts> load_board_facts(std::string_view name_or_path);

}  // namespace tinytune
