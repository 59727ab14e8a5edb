// RISC-V semantics that the emulator lacks or does not report: whether a branch is taken, and the
// results of bit manipulation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tinytune {

/// Returns the value of an integer register before the instruction.
using RegisterReader = std::function<uint32_t(unsigned)>;

/// Returns whether the conditional branch `code` (its first 16 or all 32 bits) is taken.
bool riscv_branch_holds(uint32_t code, const RegisterReader& x);

/// The result of an instruction of Zba, Zbb, Zbc, Zbs or Zbkb; nothing for any other code.
struct RegisterWrite {
  unsigned reg = 0;
  uint32_t value = 0;
};
std::optional<RegisterWrite> execute_bit_manipulation(uint32_t code, const RegisterReader& x);
inline bool is_bit_manipulation(uint32_t code) {
  return execute_bit_manipulation(code, [](unsigned) { return 0u; }).has_value();
}

/// Returns whether `code` is a vector instruction, which the emulator does not know.
bool is_riscv_vector(uint32_t code);

/// Returns whether the emulator ends a block after `code`: at jumps, branches, and possible traps.
bool riscv_ends_block(uint32_t code);

/// Returns the register of the dividend; nothing unless `code` is a signed division or remainder.
std::optional<unsigned> riscv_signed_dividend(uint32_t code);

/// Returns the addresses of signed divisions in `code`, which starts at `address`; also of data
/// that looks like one.
std::vector<uint32_t> riscv_signed_divisions(std::span<const uint8_t> code, uint32_t address);

}  // namespace tinytune
