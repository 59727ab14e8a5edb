// The host's side of semihosting: requests of a program to a debugger (Arm's "Semihosting for
// AArch32 and AArch64", which RISC-V shares). Console only: there are no files, and time is the
// device's own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "simulator/memory.h"

namespace tinytune {

class Semihosting {
 public:
  struct Heap {
    uint32_t base = 0, limit = 0, stack_top = 0;
  };
  using Print = std::function<void(std::string_view)>;

  Semihosting(const Memory& memory, uint64_t clock_hz, Heap heap, Print print)
      : memory_(memory), clock_hz_(clock_hz), heap_(heap), print_(std::move(print)) {}

  /// Executes an operation of a program that has run for `cycles`; returns its result.
  uint32_t call(uint32_t operation, uint32_t parameter, uint64_t cycles);

  /// Set by an operation that ends the program.
  const std::optional<int>& exit_status() const { return exit_status_; }

 private:
  uint32_t word(uint32_t address) const;
  bool store(uint32_t address, uint32_t word) const;
  uint32_t open(uint32_t block) const;
  uint32_t write(uint32_t block) const;
  void write_string(uint32_t address) const;

  const Memory& memory_;
  uint64_t clock_hz_;
  Heap heap_;
  Print print_;
  std::optional<int> exit_status_;
};

}  // namespace tinytune
