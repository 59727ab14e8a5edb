// Thumb-2 with the DSP extension (Armv7E-M, Armv8-M Mainline): what kernels of SMLAD write.
//
// A value is a word of two halves. SMLAD adds both products of two such words to a sum; SXTB16
// makes two halves of every other byte of a word. The fused requantisation is LSL, SMMLA (the high
// word of a product, plus a word) and ASR, the clamp to bytes SSAT.
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
  // Of caches beside cores that have PLD: of a line, and how many may be on their way.
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

  /// Words of the frame, `at` bytes from the stack pointer.
  void store(Reg reg, int at) { out_.emit("str {}, [sp, #{}]", reg, at); }
  void store_two(Reg first, Reg second, int at) {
    out_.emit("strd {}, {}, [sp, #{}]", first, second, at);
  }
  void load(Reg reg, int at) { out_.emit("ldr {}, [sp, #{}]", reg, at); }

  /// `to` = `from` + `bytes`, which are not negative. `to` may not be `from` where they exceed
  /// kReach.
  void add(Reg to, Reg from, int64_t bytes) {
    if (bytes <= kReach) return out_.emit("addw {}, {}, #{}", to, from, bytes);
    out_.emit("movw {}, #{}", to, bytes & 0xffff);
    if (bytes > 0xffff) out_.emit("movt {}, #{}", to, bytes >> 16);
    out_.emit("add {0}, {0}, {1}", to, from);
  }

  /// Repeats from the line "`label`:" until `cursor` is `end`.
  void repeat_until(Reg cursor, Reg end, int label) {
    out_.emit("cmp {}, {}", cursor, end);
    out_.emit("bne {}b", label);
  }

  /// Steps of the fused requantisation, of all these sums one by one: the next instruction need not
  /// wait for this one's result.
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
  /// The short form, of twice the multiplier without a sign; `scratch` is lost. (h + (h >> 31) +
  /// (1 << (right - 1))) >> right with h = (sum * twice + 2^31) >> 32, and the zero point. With a
  /// sign, `twice` is 2^32 less where its upper bit is set, and h then less by the sum. The last
  /// bit that a shift drops is the carry, which adds what the half would.
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
  /// To bytes; behind a shift to the right, which costs nothing here.
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
