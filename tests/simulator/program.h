// Assembles a test program for a device and loads it, so that a test shows its code beside its
// expectations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/device.h"
#include "simulator/program.h"
#include "simulator/simulator.h"

namespace tinytune {

/// The device with nothing in fast memory.
Device in_flash(const std::string& device_name);

/// Assembles or compiles text to an ELF linked at the device's code and data memories. `march`
/// replaces the device's own, for instructions that it lacks. Throws std::runtime_error with
/// clang's message, which fails the test.
std::vector<uint8_t> assemble(const std::string& source, const Device& device,
                              const std::string& march = "");
std::vector<uint8_t> compile_c(const std::string& source, const Device& device);

/// A simulator with one program in it; the program's entry is the symbol `f`.
class Program {
 public:
  Program(const std::string& device_name, const std::string& source, const std::string& march = "");
  Program(const Device& device, const std::string& source, const std::string& march = "");

  const Device& device() const { return device_; }
  Simulator& simulator() { return simulator_; }
  const ElfInfo& info() const { return info_; }
  uint32_t data() const { return device_.memory(device_.data_memory).address; }
  uint32_t symbol(const std::string& name) const { return info_.symbols.at(name).address; }

  CallReport call(std::vector<uint32_t> arguments = {}, const CallOptions& options = {});

 private:
  Device device_;
  Simulator simulator_;
  ElfInfo info_;
};

/// Report and output of a whole program that run_program() ran.
struct Ran {
  Result<ProgramReport> report;
  std::string output;
};
Ran run(const Device& device, const std::vector<uint8_t>& elf, const std::string& function = "",
        uint64_t limit = 10'000'000'000);

/// Why the program could not run; empty if it ran.
std::string refusal(const Ran& ran);

}  // namespace tinytune
