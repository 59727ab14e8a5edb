// Turns machine code into Instructions with LLVM's disassembler.
//
// The decoder is the gate-keeper of the instruction set: Unicorn runs `amoadd` on every RV32 and
// cannot be told not to, so whatever the device's feature list lacks is refused here, before the
// block that contains it runs.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "devices/device.h"
#include "simulator/instruction.h"
#include "tinytune/result.h"

namespace tinytune {

class Decoder {
 public:
  /// Kernels have no business with counters, traps and special registers; programs have.
  enum class System { kRefused, kAllowed };

  /// kUnsupported: a target LLVM does not have.
  static Result<Decoder> create(const Target& target, System system = System::kRefused);
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  struct Decoded {
    Instruction instruction;
    /// Why it must not run: "amoadd.w is not in rv32imc"; empty when it may.
    std::string refusal;
    /// Refused for needing an Arm core's floating-point unit.
    bool floating_point = false;
  };

  CoreFamily family() const;

  /// To be called before the first instruction of a block: whether a Thumb instruction is
  /// predicated depends on those before it.
  void begin_block();

  /// Decodes the first instruction of `code`, which stands at `address`. An encoding that the
  /// architecture calls unpredictable is decoded like any other: compilers emit some of them.
  Decoded decode(std::span<const uint8_t> code, uint32_t address);

  /// The same as an assembler writes it: "lw a1, 1(a5)". Empty if it is none.
  std::string text(std::span<const uint8_t> code, uint32_t address);

 private:
  struct State;
  explicit Decoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
