#include "tuner/device_facts.h"

namespace tinytune {
namespace {

/// Registers that a compiler can allocate: without zero, stack and return, and Arm's program
/// counter.
int usable_registers(const Target& target) { return target.family == CoreFamily::kArmM ? 13 : 29; }

}  // namespace

std::vector<DeviceFact> facts_of(const Device& device) {
  std::vector<DeviceFact> facts = {{"registers", usable_registers(device.target)}};
  for (const Capability capability : device.target.capabilities)
    facts.emplace_back("can " + std::string(name_of(capability)), 1);
  for (const auto& [what, cycles] : device.timing.cycles)
    if (!what.starts_with("float_")) facts.emplace_back("cycles " + what, cycles);  // integer only
  return facts;
}

}  // namespace tinytune
