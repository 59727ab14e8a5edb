// Thumb-2 with the DSP extension (Armv7E-M, Armv8-M Mainline): the instructions of SMLAD kernels.
//
// An operand is a word of two 16-bit halves. SMLAD adds both products of two such words to a sum;
// SXTB16 sign-extends every other byte of a word to two halves. The fused requantisation is LSL,
// SMMLA (the high word of a product, plus a word) and ASR; SSAT clamps to bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "templates/tile/assembly.h"
#include "templates/tile/load_scheduler.h"

namespace tinytune {

class Thumb2Dsp {
 public:
  static constexpr int kRegisters = 14;  // r0 to r12 and lr
  // Caches of cores with PLD: bytes per line, and the most line fills in flight.
  static constexpr int64_t kLineBytes = 32, kLinesComing = 2;
  static constexpr int64_t kReach = 4095, kReachBack = 255, kPairReach = 1020;
  static constexpr AddressModes kAddresses = {.word = "ldr {}, [{}, #{}]",
                                              .word_post = "ldr {}, [{}], #{}",
                                              .pair = "ldrd {}, [{}, #{}]",
                                              .pair_post = "ldrd {}, [{}], #{}",
                                              .move = "add {}, #{}",
                                              .reach = kReach,
                                              .reach_back = kReachBack,
                                              .pair_reach = kPairReach};

  explicit Thumb2Dsp(Assembly& out) : out_(out) {}

  /// Store and load words of the stack frame, `at` bytes from the stack pointer.
  void store(Reg reg, int at) { out_.emit("str {}, [sp, #{}]", reg, at); }
  void store_two(Reg first, Reg second, int at) {
    out_.emit("strd {}, {}, [sp, #{}]", first, second, at);
  }
  void load(Reg reg, int at) { out_.emit("ldr {}, [sp, #{}]", reg, at); }

  /// Writes `to` = `from` + `bytes`, for `bytes` >= 0. Beyond kReach, `to` and `from` must differ.
  void add(Reg to, Reg from, int64_t bytes) {
    if (bytes <= kReach) return out_.emit("addw {}, {}, #{}", to, from, bytes);
    out_.emit("movw {}, #{}", to, bytes & 0xffff);
    if (bytes > 0xffff) out_.emit("movt {}, #{}", to, bytes >> 16);
    out_.emit("add {0}, {0}, {1}", to, from);
  }

  /// Branches back to the line "`label`:" unless `cursor` is `end`.
  void repeat_until(Reg cursor, Reg end, int label) {
    out_.emit("cmp {}, {}", cursor, end);
    out_.emit("bne {}b", label);
  }

  /// Write one step of the fused requantisation for all sums in turn, so that no instruction waits
  /// for the result of the one before.
  using Sums = std::vector<Reg>;
  void shift_left(const Sums& sums, Reg by) {
    for (const Reg s : sums) out_.emit("lsl {0}, {0}, {1}", s, by);
  }
  void scale(const Sums& sums, Reg multiplier, Reg offset) {
    for (const Reg s : sums) out_.emit("smmla {0}, {1}, {0}, {2}", s, multiplier, offset);
  }
  void shift_right(const Sums& sums, Reg by) {
    for (const Reg s : sums) out_.emit("asr {0}, {0}, {1}", s, by);
  }
  /// Writes the short form: (h + (h >> 31) + (1 << (right - 1))) >> right, plus the zero point,
  /// with h = (sum * twice + 2^31) >> 32, where `twice` is twice the multiplier, unsigned. Clobbers
  /// `scratch`. SMMLAR reads `twice` as signed, 2^32 less if its top bit is set, and h would be
  /// less by the sum; the AND adds it back. The last bit shifted out is the carry, so that ADC
  /// rounds as adding the half would.
  void scale_short(const Sums& sums, Reg twice, Reg right, Reg scratch, int zero_point) {
    for (const Reg s : sums) {
      out_.emit("and {}, {}, {}, asr #31", scratch, s, twice);
      out_.emit("smmlar {0}, {0}, {1}, {2}", s, twice, scratch);
    }
    for (const Reg s : sums) out_.emit("add {0}, {0}, {0}, asr #31", s);
    for (const Reg s : sums) {
      out_.emit("asrs {0}, {0}, {1}", s, right);
      if (zero_point >= 0)
        out_.emit("adc {0}, {0}, #{1}", s, zero_point);
      else
        out_.emit("sbc {0}, {0}, #{1}", s, -zero_point - 1);
    }
  }
  /// Saturates to bytes, after a right shift that SSAT includes at no cost.
  void saturate(const Sums& sums, int right = 0) {
    const std::string shift = right > 0 ? fmt::format(", asr #{}", right) : "";
    for (const Reg s : sums) out_.emit("ssat {0}, #8, {0}{1}", s, shift);
  }
  void store_bytes(const Sums& sums, Reg output, const std::vector<int64_t>& at) {
    for (size_t i = 0; i < sums.size(); ++i)
      out_.emit("strb {}, [{}, #{}]", sums[i], output, at[i]);
  }

 private:
  Assembly& out_;
};

}  // namespace tinytune
