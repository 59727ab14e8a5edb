// Thumb-2 with the DSP extension (Armv7E-M, Armv8-M Mainline): what kernels of SMLAD write.
//
// A value is a word of two halves. SMLAD adds both products of two such words to a sum; SXTB16
// makes two halves of every other byte of a word. The fused requantisation is LSL, SMMLA (the high
// word of a product, plus a word) and ASR, the clamp to bytes SSAT.
#pragma once

#include <cstdint>
#include <vector>

#include "templates/tile/assembly.h"
#include "templates/tile/load_scheduler.h"

namespace tinytune {

class Thumb2Dsp {
 public:
  static constexpr int kRegisters = 14;  // r0 to r12 and lr
  static constexpr int64_t kReach = 4095, kReachBack = 255, kPairReach = 1020;
  static const AddressModes kAddresses;

  explicit Thumb2Dsp(Assembly& out) : out_(out) {}

  /// Words of the frame, `at` bytes from the stack pointer.
  void store(Reg reg, int at) { out_.emit("str {}, [sp, #{}]", reg, at); }
  void store_two(Reg first, Reg second, int at) {
    out_.emit("strd {}, {}, [sp, #{}]", first, second, at);
  }
  void load(Reg reg, int at) { out_.emit("ldr {}, [sp, #{}]", reg, at); }

  /// `to` = `from` + `bytes`, which are not negative. `to` may not be `from` where they exceed
  /// kReach.
  void add(Reg to, Reg from, int64_t bytes);

  /// Repeats from the line "`label`:" until `cursor` is `end`.
  void repeat_until(Reg cursor, Reg end, int label);

  /// Steps of the fused requantisation, of all these sums one by one: the next instruction need not
  /// wait for this one's result.
  using Sums = std::vector<Reg>;
  void shift_left(const Sums& sums, Reg by);
  void scale(const Sums& sums, Reg multiplier, Reg offset);
  void shift_right(const Sums& sums, Reg by);
  /// The short form, of twice the multiplier without a sign; `scratch` is lost. (h + (h >> 31) +
  /// (1 << (right - 1))) >> right with h = (sum * twice + 2^31) >> 32, and the zero point.
  void scale_short(const Sums& sums, Reg twice, Reg right, Reg scratch, int zero_point);
  /// To bytes; behind a shift to the right, which costs nothing here.
  void saturate(const Sums& sums, int right = 0);
  void store_bytes(const Sums& sums, Reg output, const std::vector<int64_t>& at);

 private:
  Assembly& out_;
};

}  // namespace tinytune
