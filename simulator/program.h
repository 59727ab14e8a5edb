// Runs a whole program on a simulated device: what `tune simulate` does.
//
// It runs from its entry, or one function of it, until it ends itself: by semihosting, at a
// breakpoint, by a store to the device's exit port, or by returning. Counters that it reads say
// what this model has counted. Interrupts never come.
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
  std::function<void(std::string_view)> print;  ///< gets what the program prints, as it does
};

struct ProgramReport {
  enum class End { kExit, kBreakpoint, kReturn };
  End end = End::kExit;
  std::string end_place;      ///< "0x08000124 (_exit+0x4)"
  int exit_status = 0;        ///< 0 where the end carries none
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
/// such function. kUnsupported: an instruction or register that the device lacks. kFailed: it
/// touched what is not there, went on for ever, or reached the limit. Messages name the place.
Result<ProgramReport> run_program(const Device& device, const ProgramFacts& facts,
                                  std::span<const uint8_t> elf, const ProgramOptions& options);

}  // namespace tinytune
