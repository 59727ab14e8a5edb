// A unit beside the core with an address range of its own: an accelerator, a DMA engine.
//
// A device file cannot describe how such a unit works, so it is code: a row of a program outside
// this tree (cmake/TinytuneProgram.cmake). A device has the unit if one of its memories has the
// row's name. Registers are words of that memory, and read back the value written; the unit does
// the rest. Only calls of functions (Simulator) have peripherals, whole programs (program.h) do
// not.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tinytune {

/// The machine, as a unit accesses it while one of its registers is read or written.
class PeripheralBus {
 public:
  /// Return bytes within one memory, for the unit to read or write. Empty if the core may not
  /// access them either: the call then ends in a fault, whatever the unit does next.
  virtual std::span<const uint8_t> read(uint32_t address, uint32_t size_bytes) = 0;
  virtual std::span<uint8_t> write(uint32_t address, uint32_t size_bytes) = 0;
  /// Makes the core wait.
  virtual void stall(uint64_t cycles) = 0;
  /// Returns the cycles of the call so far, without the block that runs now.
  virtual uint64_t now() = 0;
  /// Ends the call, because the unit cannot do what the program asked for.
  virtual void fault(const std::string& why) = 0;

 protected:
  ~PeripheralBus() = default;
};

class Peripheral {
 public:
  virtual ~Peripheral() = default;
  /// Resets the unit to its state after power-up, because another program was loaded.
  virtual void reset() = 0;
  /// Handles a store of `value` to the word at `offset`, a multiple of 4.
  virtual void store(uint32_t offset, uint32_t value, PeripheralBus& bus) = 0;
  /// Returns the value of a load of that word, to which `stored` was written last. Called only with
  /// an Arrival (arrival.h), because hooks of loads slow down all loads.
  virtual uint32_t load(uint32_t /*offset*/, uint32_t stored, PeripheralBus& /*bus*/) {
    return stored;
  }
};

struct PeripheralKind {
  const char* memory;  ///< name of the device's memory that has its registers
  std::unique_ptr<Peripheral> (*make)();
};

/// Returns all kinds of this build.
std::span<const PeripheralKind> peripheral_kinds();

}  // namespace tinytune
