// What this simulator itself works out of RISC-V code, where the emulator does not say or does not
// know: whether a branch is taken, and the result of bit manipulation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tinytune {

/// Value of an integer register before the instruction.
using RegisterReader = std::function<uint32_t(unsigned)>;

/// Whether the conditional branch `code` (its first 16 or all 32 bits) is taken.
bool riscv_branch_holds(uint32_t code, const RegisterReader& x);

/// What an instruction of Zba, Zbb, Zbc, Zbs or Zbkb writes; nothing for any other code.
struct RegisterWrite {
  unsigned reg = 0;
  uint32_t value = 0;
};
std::optional<RegisterWrite> execute_bit_manipulation(uint32_t code, const RegisterReader& x);
inline bool is_bit_manipulation(uint32_t code) {
  return execute_bit_manipulation(code, [](unsigned) { return 0u; }).has_value();
}

/// Whether the emulator does not know `code` because it is one of vectors.
bool is_riscv_vector(uint32_t code);

/// Whether the emulator ends a block of its own after `code`: jumps, branches, whatever may trap.
bool riscv_ends_block(uint32_t code);

/// Register of the dividend, if `code` is a signed division or remainder.
std::optional<unsigned> riscv_signed_dividend(uint32_t code);

/// Where in `code`, which starts at `address`, that may be so; of data that only looks like it too.
std::vector<uint32_t> riscv_signed_divisions(std::span<const uint8_t> code, uint32_t address);

}  // namespace tinytune
