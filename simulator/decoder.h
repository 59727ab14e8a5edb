// Turns machine code into Instructions with LLVM's disassembler.
//
// The decoder enforces the device's instruction set: Unicorn runs `amoadd` on every RV32 and cannot
// be configured otherwise, so instructions outside the device's feature list are refused here,
// before the block that contains them runs.
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
  /// Whether counters, traps and special registers may be used: by programs, not by kernels.
  enum class System { kRefused, kAllowed };

  /// kUnsupported: a target LLVM does not have.
  static Result<Decoder> create(const Target& target, System system = System::kRefused);
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  struct Decoded {
    Instruction instruction;
    /// Why it must not run: "amoadd.w is not in rv32imc"; empty: it may.
    std::string refusal;
    /// Whether it is refused because it needs an Arm core's floating-point unit.
    bool floating_point = false;
  };

  CoreFamily family() const;

  /// Must be called before the first instruction of a block, because the predication of a Thumb
  /// instruction depends on those before it.
  void begin_block();

  /// Decodes the first instruction of `code`, which is at `address`. Encodings that the
  /// architecture calls unpredictable are decoded like others: compilers emit some of them.
  Decoded decode(std::span<const uint8_t> code, uint32_t address);

  /// Returns that instruction as an assembler writes it, "lw a1, 1(a5)"; empty: it is none.
  std::string text(std::span<const uint8_t> code, uint32_t address);

 private:
  struct State;
  explicit Decoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
