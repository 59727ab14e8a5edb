// The private peripherals of a Cortex-M core (0xE0000000 to 0xE00FFFFF), as far as programs without
// interrupts use them: the cycle counter of the DWT, SysTick, identification, and registers that
// read back the value written.
#pragma once

#include <cstdint>
#include <map>

#include "devices/device.h"

namespace tinytune {

class ArmSystem {
 public:
  static constexpr uint32_t kAddress = 0xE0000000, kBytes = 0x00100000;

  ArmSystem(const Target& target, uint32_t vector_table);

  /// `offset`: from kAddress; `cycles`: of the core so far.
  uint32_t read(uint32_t offset, uint32_t size_bytes, uint64_t cycles);
  void write(uint32_t offset, uint32_t size_bytes, uint32_t value, uint64_t cycles);

  /// Returns whether the program has requested a reset.
  bool reset() const { return reset_; }

  /// Return which traps are enabled, by the program or always, and whether the FPU is enabled.
  bool traps_misaligned() const { return traps_misaligned_; }
  bool traps_division_by_zero() const { return traps_division_by_zero_; }
  bool floating_point_enabled() const;

 private:
  uint32_t read_word(uint32_t offset, uint64_t cycles);
  void write_word(uint32_t offset, uint32_t value, uint64_t cycles);
  bool cycle_counter_runs() const;
  uint32_t cycle_counter(uint64_t cycles) const;
  uint32_t tick_value(uint64_t cycles) const;
  bool tick_reached_zero(uint64_t cycles) const;

  bool has_cycle_counter_;
  bool always_aligned_;  ///< whether unaligned accesses always fault, as the architecture defines
  bool traps_misaligned_, traps_division_by_zero_ = false;
  std::map<uint32_t, uint32_t> words_;
  uint32_t counter_offset_ = 0;  ///< CYCCNT minus `cycles`; its value while it is stopped
  uint32_t tick_start_ = 0;      ///< SysTick's value at `tick_since_`
  uint64_t tick_since_ = 0;
  bool tick_flag_ = false;
  bool reset_ = false;
};

}  // namespace tinytune
