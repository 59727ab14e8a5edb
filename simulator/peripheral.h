// What stands beside a core at an address range of its own: an accelerator, a DMA engine.
//
// A device file has no word for how such a unit works, so it is code: a row of a program outside
// this tree (cmake/TinytuneProgram.cmake). A device has it where one of its memories bears the
// row's name. Registers are words of that memory, and read back what was
// written; what happens beyond that is the unit's. Only calls of functions have peripherals
// (Simulator), whole programs (Program) have none.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tinytune {

/// The machine, as a unit reaches it while one of its registers is written.
class PeripheralBus {
 public:
  /// Bytes of memory that the unit moves by itself, within one memory. Empty where the core could
  /// not read or write them either: the call then ends in a fault, whatever the unit does next.
  virtual std::span<const uint8_t> read(uint32_t address, uint32_t size_bytes) = 0;
  virtual std::span<uint8_t> write(uint32_t address, uint32_t size_bytes) = 0;
  /// The core waits.
  virtual void stall(uint64_t cycles) = 0;
  /// Cycles of the call so far, those of the block that runs now left out.
  virtual uint64_t now() = 0;
  /// Ends the call: the unit was told to do what it cannot.
  virtual void fault(const std::string& why) = 0;

 protected:
  ~PeripheralBus() = default;
};

class Peripheral {
 public:
  virtual ~Peripheral() = default;
  /// As after power-up: another program was loaded.
  virtual void reset() = 0;
  /// A store of `value` to the word at `offset`, a multiple of 4.
  virtual void store(uint32_t offset, uint32_t value, PeripheralBus& bus) = 0;
  /// What a load of that word gives, where `stored` was written last. Asked only of units that move
  /// weights (arrival.h): hooks of loads cost all loads.
  virtual uint32_t load(uint32_t /*offset*/, uint32_t stored, PeripheralBus& /*bus*/) {
    return stored;
  }
};

struct PeripheralKind {
  const char* memory;  ///< the device's memory that its registers are
  std::unique_ptr<Peripheral> (*make)();
};

/// Every kind of this build.
std::span<const PeripheralKind> peripheral_kinds();

}  // namespace tinytune
