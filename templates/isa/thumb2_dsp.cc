#include "templates/isa/thumb2_dsp.h"

#include <string>

namespace tinytune {

const AddressModes Thumb2Dsp::kAddresses = {.word = "ldr {}, [{}, #{}]",
                                            .word_post = "ldr {}, [{}], #{}",
                                            .pair = "ldrd {}, [{}, #{}]",
                                            .pair_post = "ldrd {}, [{}], #{}",
                                            .move = "add {}, #{}",
                                            .reach = kReach,
                                            .reach_back = kReachBack,
                                            .pair_reach = kPairReach};

void Thumb2Dsp::add(Reg to, Reg from, int64_t bytes) {
  if (bytes <= kReach) return out_.emit("addw {}, {}, #{}", to, from, bytes);
  out_.emit("movw {}, #{}", to, bytes & 0xffff);
  if (bytes > 0xffff) out_.emit("movt {}, #{}", to, bytes >> 16);
  out_.emit("add {0}, {0}, {1}", to, from);
}

void Thumb2Dsp::repeat_until(Reg cursor, Reg end, int label) {
  out_.emit("cmp {}, {}", cursor, end);
  out_.emit("bne {}b", label);
}

void Thumb2Dsp::shift_left(const Sums& sums, Reg by) {
  for (const Reg s : sums) out_.emit("lsl {0}, {0}, {1}", s, by);
}

void Thumb2Dsp::scale(const Sums& sums, Reg multiplier, Reg offset) {
  for (const Reg s : sums) out_.emit("smmla {0}, {1}, {0}, {2}", s, multiplier, offset);
}

void Thumb2Dsp::shift_right(const Sums& sums, Reg by) {
  for (const Reg s : sums) out_.emit("asr {0}, {0}, {1}", s, by);
}

// With a sign, `twice` is 2^32 less where its upper bit is set, and h then less by the sum. The
// last bit that a shift drops is the carry, which adds what the half would.
void Thumb2Dsp::scale_short(const Sums& sums, Reg twice, Reg right, Reg scratch, int zero_point) {
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

void Thumb2Dsp::saturate(const Sums& sums, int right) {
  const std::string shift = right > 0 ? fmt::format(", asr #{}", right) : "";
  for (const Reg s : sums) out_.emit("ssat {0}, #8, {0}{1}", s, shift);
}

void Thumb2Dsp::store_bytes(const Sums& sums, Reg output, const std::vector<int64_t>& at) {
  for (size_t i = 0; i < sums.size(); ++i) out_.emit("strb {}, [{}, #{}]", sums[i], output, at[i]);
}

}  // namespace tinytune
