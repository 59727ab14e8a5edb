// A core's vector unit: what executes the instructions that the emulator lacks.
//
// Unicorn 2.0.1 knows neither RISC-V's vectors nor Helium. It stops before such an instruction, and
// an engine hands that one and all vector instructions behind it to the unit at once: a trap costs
// as much as an instruction's work. The unit reaches registers and memory only through its Core, so
// that bounds, rights, alignment, guards and waits of memory are those of every other access. The
// decoder asks `claim` what may run at all; instructions are counted where all are, by block.
//
// A unit follows from the device's target. Another instruction set is a class here and a row in
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
  /// What the unit sees of the machine while it executes.
  class Core {
   public:
    /// Registers by their number; Arm's flags (APSR) are 16.
    virtual uint32_t get(unsigned reg) const = 0;
    virtual void set(unsigned reg, uint32_t value) = 0;
    /// `size_bytes` > 0 of consecutive elements of `element_bytes`, to be read or written. Empty
    /// where the core may not: the run then ends in a fault, and `execute` returns kFault.
    virtual std::span<uint8_t> vector_access(uint32_t address, uint32_t size_bytes,
                                             uint32_t element_bytes, bool is_write) = 0;
    /// Control goes on there and not behind the instruction, which must end its block.
    virtual void jump(uint32_t address) = 0;

   protected:
    ~Core() = default;
  };

  enum class Claim {
    kOther,  ///< not an instruction of this unit
    kRuns,
    kLacks,  ///< of the instruction set; refused by name
  };
  enum class Outcome {
    kExecuted,
    kIllegal,  ///< reserved in the unit's present state; reason() says why
    kFault,    ///< an access was refused
  };

  /// Vectors that an instruction reads and writes, a bit each, of groups the first; `multiplies`:
  /// one read by another or, where there is but one, by a core register.
  struct Use {
    uint32_t reads = 0, writes = 0;
    bool multiplies = false;
    bool adds = false;  ///< to what it writes
  };

  virtual ~VectorUnit() = default;
  /// As after power-up.
  virtual void reset() = 0;
  /// `code`: the first 16 or all 32 bits, the first half word in the low bits.
  virtual Claim claim(uint32_t code) const = 0;
  /// `code` is one that the unit runs, and stands at `address`.
  virtual Outcome execute(uint32_t address, uint32_t code, Core& core) = 0;
  /// Whether the emulator executes `code` on vector registers that it has itself: registers() must
  /// be there before, and be taken back afterwards.
  virtual bool runs_natively(uint32_t) const { return false; }
  virtual std::span<uint8_t> registers() { return {}; }
  /// Whether the emulator takes `code`, which claim() says is lacking, for an instruction of its
  /// own that changes core registers and flags alone: who knows of it beforehand can undo that.
  virtual bool taken_for_another(uint32_t) const { return false; }
  /// Of the last kIllegal: "vtype is illegal".
  virtual const char* reason() const = 0;
  /// Of `code`, one that the unit runs; nothing where the unit does not tell.
  virtual Use use(uint32_t) const { return {}; }
};

/// Executes `run` until an instruction does not end well: the outcome of the last. `address` is
/// that of the instruction at work.
VectorUnit::Outcome execute_run(VectorUnit& unit, std::span<const Instruction> run,
                                VectorUnit::Core& core, uint32_t& address);

/// Null for a core without one.
std::unique_ptr<VectorUnit> make_vector_unit(const Target& target);

}  // namespace tinytune
