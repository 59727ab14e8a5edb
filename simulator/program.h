// Runs a whole program on a simulated device, for `tune simulate`.
//
// The program runs from its entry or a function until it ends: by semihosting, at a breakpoint, by
// a store to the device's exit port, or by returning. Counters that it reads have the values of
// this model. There are no interrupts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/device.h"
#include "devices/program_facts.h"
#include "simulator/simulator.h"
#include "tinytune/result.h"

namespace tinytune {

struct ProgramOptions {
  std::string function;  ///< to call instead of running from the entry; empty: the entry
  uint64_t instruction_limit = 10'000'000'000;
  std::function<void(std::string_view)> print;  ///< receives the program's output as it is printed
};

struct ProgramReport {
  enum class End { kExit, kBreakpoint, kReturn };
  End end = End::kExit;
  std::string end_place;      ///< "0x08000124 (_exit+0x4)"
  int exit_status = 0;        ///< 0 if the end has none
  uint32_t return_value = 0;  ///< of a function that returned
  Counts counts;
  std::vector<std::pair<std::string, uint64_t>> waits;  ///< cycles, by memory with a cache

  struct Symbol {
    std::string name;
    uint64_t cycles = 0, instructions = 0;  ///< of its own code, waits included
    uint64_t calls = 0;
  };
  std::vector<Symbol> symbols;  ///< that ran, most cycles first
};

/// kInvalidInput: not a program for this device, or a section outside its memories. kNotFound: no
/// such function. kUnsupported: an instruction or register that the device lacks. kFailed: an
/// invalid access, an endless loop, or the limit reached. Messages name the place.
Result<ProgramReport> run_program(const Device& device, const ProgramFacts& facts,
                                  std::span<const uint8_t> elf, const ProgramOptions& options);

}  // namespace tinytune
