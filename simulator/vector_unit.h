// A core's vector unit: executes the vector instructions, which the emulator lacks.
//
// Unicorn 2.0.1 supports neither RISC-V's vectors nor Helium. It stops before such an instruction,
// and an engine passes that one and all vector instructions after it to the unit at once, because a
// trap costs as much as an instruction's work. The unit accesses registers and memory only through
// its Core, so that bounds, rights, alignment, guards and memory waits apply as to all other
// accesses. The decoder asks claim() which instructions may run; they are counted by block, like
// all others.
//
// The device's target selects the unit. A new instruction set is a class and a row in
// vector_unit.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "devices/device.h"
#include "simulator/instruction.h"

namespace tinytune {

class VectorUnit {
 public:
  /// The machine as the unit accesses it while it executes.
  class Core {
   public:
    /// Registers by their number; Arm's flags (APSR) are 16.
    virtual uint32_t get(unsigned reg) const = 0;
    virtual void set(unsigned reg, uint32_t value) = 0;
    /// Returns `size_bytes` > 0 of consecutive elements of `element_bytes`, to be read or written.
    /// Empty: the access is not allowed, the run ends in a fault, and execute() returns kFault.
    virtual std::span<uint8_t> vector_access(uint32_t address, uint32_t size_bytes,
                                             uint32_t element_bytes, bool is_write) = 0;
    /// Continues at `address` instead of after the instruction, which must end its block.
    virtual void jump(uint32_t address) = 0;

   protected:
    ~Core() = default;
  };

  enum class Claim {
    kOther,  ///< not an instruction of this unit
    kRuns,
    kLacks,  ///< in the instruction set, but refused by name
  };
  enum class Outcome {
    kExecuted,
    kIllegal,  ///< reserved in the unit's current state; reason() says why
    kFault,    ///< an access was refused
  };

  /// Vectors that an instruction reads and writes, a bit each, of a group only the first.
  /// `multiplies`: two vectors that it reads or, if it reads one, that and a core register.
  struct Use {
    uint32_t reads = 0, writes = 0;
    bool multiplies = false;
    bool adds = false;  ///< adds to its destination
  };

  virtual ~VectorUnit() = default;
  /// Resets the state to that after power-up.
  virtual void reset() = 0;
  /// `code`: the first 16 or all 32 bits, the first half word in the low bits.
  virtual Claim claim(uint32_t code) const = 0;
  /// Executes `code` at `address`; requires a claim of kRuns, or taken_for_another().
  virtual Outcome execute(uint32_t address, uint32_t code, Core& core) = 0;
  /// Returns whether the emulator executes `code` on vector registers of its own: registers() must
  /// be copied there before, and back afterwards.
  virtual bool runs_natively(uint32_t) const { return false; }
  virtual std::span<uint8_t> registers() { return {}; }
  /// Returns whether the emulator takes `code`, which has a claim of kLacks, for an instruction of
  /// its own that changes only core registers and flags: an engine that knows beforehand can undo
  /// that.
  virtual bool taken_for_another(uint32_t) const { return false; }
  /// Returns the reason of the last kIllegal: "vtype is illegal".
  virtual const char* reason() const = 0;
  /// Returns the registers of `code`, which has a claim of kRuns; none if the unit does not know.
  virtual Use use(uint32_t) const { return {}; }
};

/// Executes `run` up to the first instruction that is not kExecuted; returns the last outcome.
/// `address` is set to that of the last instruction.
VectorUnit::Outcome execute_run(VectorUnit& unit, std::span<const Instruction> run,
                                VectorUnit::Core& core, uint32_t& address);

/// Makes the unit of a core; null: it has none.
std::unique_ptr<VectorUnit> make_vector_unit(const Target& target);

}  // namespace tinytune
