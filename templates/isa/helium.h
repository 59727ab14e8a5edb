// Helium (MVE-I, the vectors of Armv8.1-M; ADR 96): the instructions of kernels that compute 16
// products at once.
//
// VMLADAVA adds the dot product of two vectors of 16 bytes to a core register with an even number.
// Sums of neighbouring channels move into the lanes of a vector and are requantised four at a time,
// in the reference's own steps. VQRDMULH is its saturating rounding doubling multiply, bit for bit.
// VRSHL is its rounding shift except for negative halves, which VRSHL rounds up. So negative values
// are decremented before the shift, unless the activation clamps all of them or nothing is shifted
// out.
//
// LLVM does not know of these registers: it compiles for the core without vectors, so vectors keep
// their values between pieces of assembly. Code that writes q4 to q7 must restore them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "templates/tile/assembly.h"
#include "templates/tile/load_scheduler.h"

namespace tinytune {

class Helium {
 public:
  static constexpr int kVectors = 8, kLanes = 4;
  static constexpr int64_t kBytes = 16;        ///< bytes per vector
  static constexpr int64_t kReach = 127;       ///< largest offset of byte accesses
  static constexpr int64_t kWordReach = 508;   ///< largest offset from addresses in lanes
  static constexpr int64_t kLoopBytes = 4094;  ///< largest backward branch of LE
  static constexpr int64_t kSavedBytes = 4 * kBytes;
  static constexpr AddressModes kBytesOfVectors = {.word = "vldrb.8 {}, [{}, #{}]",
                                                   .word_post = "vldrb.8 {}, [{}], #{}",
                                                   .pair = nullptr,
                                                   .pair_post = nullptr,
                                                   .move = "add {}, #{}",
                                                   .reach = kReach,
                                                   .reach_back = kReach,
                                                   .pair_reach = -1,
                                                   .value_bytes = kBytes};
  static constexpr Reg q(int number) { return {Reg::kVectors + number}; }

  /// Makes the assembler accept vectors from here to the end of the piece.
  explicit Helium(Assembly& out) : out_(out) { out_.emit(".cpu cortex-m55"); }

  /// Save q4 to q7, which belong to the caller, at the address `to`, and restore them.
  void save(Reg to) { for_each_saved("vstrw.32 {}, [{}, #{}]", to); }
  void restore(Reg from) { for_each_saved("vldrw.32 {}, [{}, #{}]", from); }
  /// Copies `bytes` at any alignment, through q0 or `scratch`, with the widest byte loads that fit;
  /// the last two may overlap. `from` and `to`: in r0 to r7.
  void copy(Reg from, Reg to, int64_t bytes, Reg scratch) {
    const auto all = [&](int64_t at_once, const char* load, const char* store, Reg by) {
      for (int64_t next = 0; next < bytes; next += at_once) {
        const int64_t at = std::min(next, bytes - at_once);
        out_.emit("{} {}, [{}, #{}]", load, by, from, at);
        out_.emit("{} {}, [{}, #{}]", store, by, to, at);
      }
    };
    if (bytes >= 16) return all(16, "vldrb.8", "vstrb.8", q(0));
    if (bytes >= 8) return all(8, "vldrb.u16", "vstrb.16", q(0));
    if (bytes >= 4) return all(4, "vldrb.u32", "vstrb.32", q(0));
    all(1, "ldrb", "strb", scratch);
  }

  /// The same for any length; beyond kReach in a loop with `counter`, which must be lr.
  void copy_long(Reg from, Reg to, int64_t bytes, Reg scratch, Reg counter) {
    if (bytes <= kReach) return copy(from, to, bytes, scratch);
    begin_loop_of(bytes / kBytes, scratch, counter);
    out_.emit("vldrb.8 {}, [{}], #{}", q(0), from, kBytes);
    out_.emit("vstrb.8 {}, [{}], #{}", q(0), to, kBytes);
    end_loop(counter);
    if (bytes % kBytes == 0) return;
    out_.emit("vldrb.8 {}, [{}, #{}]", q(0), from, bytes % kBytes - kBytes);
    out_.emit("vstrb.8 {}, [{}, #{}]", q(0), to, bytes % kBytes - kBytes);
  }
  /// Stores `word` to `words` words from `to` on, in such a loop.
  void fill_long(Reg to, int64_t words, Reg word, Reg scratch, Reg counter) {
    out_.emit("vdup.32 {}, {}", q(0), word);
    if (words >= kLanes) {
      begin_loop_of(words / kLanes, scratch, counter);
      out_.emit("vstrw.32 {}, [{}], #{}", q(0), to, kBytes);
      end_loop(counter);
    }
    for (int64_t i = 0; i < words % kLanes; ++i) out_.emit("str {}, [{}], #4", word, to);
  }

  /// Sets `sum`, an even register, to the dot product or, if `adds`, adds the product to it.
  void dot_product(Reg sum, Reg a, Reg b, bool adds) {
    out_.emit("vmladav{}.s8 {}, {}, {}", adds ? "a" : "", sum, a, b);
  }
  /// Moves two sums into the lanes `lane` and `lane` + 2.
  void to_lanes(Reg vector, int lane, Reg low, Reg high) {
    out_.emit("vmov {0}[{2}], {0}[{1}], {3}, {4}", vector, lane, lane + 2, low, high);
  }

  /// Loads the first `rows` of the vectors q0 to q3, each from an address in consecutive registers:
  /// 16 bytes or, if predicated, as many as vctp.8 enabled.
  void load_rows(Reg first_from, int rows, bool predicated) {
    if (predicated) begin_predicated(static_cast<size_t>(rows));
    for (int i = 0; i < rows; ++i)
      out_.emit("vldrb{}.8 {}, [{}]", predicated ? "t" : "", q(i), first_from + i);
  }
  /// Stores q0 to q3 interleaved: 16 words with one byte of each vector. `to` moves on.
  void store_interleaved(Reg to) {
    for (int i = 0; i < 4; ++i)
      out_.emit("vst4{}.8 {{{}, {}, {}, {}}}, [{}]{}", i, q(0), q(1), q(2), q(3), to,
                i == 3 ? "!" : "");
  }
  /// Adds `step` to each word of `addresses`, and loads the words there.
  void gather_next(Reg vector, Reg addresses, int64_t step) {
    out_.emit("vldrw.u32 {}, [{}, #{}]!", vector, addresses, step);
  }

  /// Write one step of the requantisation for all vectors in turn, so that no instruction waits for
  /// the result of the one before. The second operand is a vector or a core register.
  using Vectors = std::vector<Reg>;
  /// Loads from `params`, which moves on.
  void load_words(Reg vector, Reg params) {
    out_.emit("vldrw.32 {}, [{}], #{}", vector, params, kBytes);
  }
  void add(const Vectors& sums, Reg by) {
    for (const Reg s : sums) out_.emit("vadd.i32 {0}, {0}, {1}", s, by);
  }
  void subtract(Reg vector, Reg by) { out_.emit("vsub.i32 {0}, {0}, {1}", vector, by); }
  void shift_left(const Vectors& sums, Reg by) {
    for (const Reg s : sums) out_.emit("vshl.s32 {0}, {0}, {1}", s, by);
  }
  void scale(const Vectors& sums, Reg multiplier) {
    for (const Reg s : sums) out_.emit("vqrdmulh.s32 {0}, {0}, {1}", s, multiplier);
  }
  /// Decrements negative values, so that VRSHL by `shift` (negative: to the right) rounds halves
  /// away from zero. `sometimes`: some lanes do not shift; their values stay. Saturates, because a
  /// value may be the least word. Clobbers a scratch register per sum.
  void turn_halves(const Vectors& sums, Reg shift, bool sometimes, const Vectors& scratch) {
    for (size_t i = 0; i < sums.size() && sometimes; ++i)
      out_.emit("vand {}, {}, {}", scratch[i], sums[i], shift);
    for (size_t i = 0; i < sums.size(); ++i)
      out_.emit("vshr.s32 {}, {}, #31", scratch[i], sometimes ? scratch[i] : sums[i]);
    for (size_t i = 0; i < sums.size(); ++i)
      out_.emit("vqadd.s32 {0}, {0}, {1}", sums[i], scratch[i]);
  }
  void shift_right(const Vectors& sums, Reg by) {
    for (const Reg s : sums) out_.emit("vrshl.s32 {0}, {0}, {1}", s, by);
  }
  void shift_right_alike(const Vectors& sums, Reg core_register) {
    for (const Reg s : sums) out_.emit("vrshl.s32 {}, {}", s, core_register);
  }
  void add_word(const Vectors& sums, Reg word) {
    for (const Reg s : sums) out_.emit("vqadd.s32 {0}, {0}, {1}", s, word);
  }
  /// Clamps to [low, high], in the lowest byte of each lane. Clobbers two scratch registers.
  void clamp(const Vectors& sums, int low, int high, const Vectors& scratch) {
    if (low == -128 && high == 127) {
      for (const char* narrow : {"vqmovnb.s32 {0}, {0}", "vqmovnb.s16 {0}, {0}"})
        for (const Reg s : sums) out_.emit("{}", fmt::format(fmt::runtime(narrow), s));
      return;
    }
    fill(scratch[0], low);
    fill(scratch[1], high);
    for (const Reg s : sums) out_.emit("vmax.s32 {0}, {0}, {1}", s, scratch[0]);
    for (const Reg s : sums) out_.emit("vmin.s32 {0}, {0}, {1}", s, scratch[1]);
  }

  /// Narrows two vectors of words to one of half words with interleaved lanes, in `even`. The next
  /// two functions are the steps above for half words.
  void narrow(Reg even, Reg odd) {
    out_.emit("vqmovnb.s32 {0}, {0}", even);
    out_.emit("vqmovnt.s32 {}, {}", even, odd);
  }
  void add_half(Reg halves, Reg half) { out_.emit("vqadd.s16 {0}, {0}, {1}", halves, half); }
  void clamp_halves(Reg halves, int low, int high, Reg scratch) {
    if (low == -128 && high == 127) return out_.emit("vqmovnb.s16 {0}, {0}", halves);
    fill(scratch, low, 16);
    out_.emit("vmax.s16 {0}, {0}, {1}", halves, scratch);
    fill(scratch, high, 16);
    out_.emit("vmin.s16 {0}, {0}, {1}", halves, scratch);
  }
  /// Stores the lowest byte of each lane at `to` plus the lane of `offsets`.
  void scatter_bytes(Reg from, int lane_bits, Reg to, Reg offsets) {
    out_.emit("vstrb.{} {}, [{}, {}]", lane_bits, from, to, offsets);
  }

  /// Enables the first `lanes` lanes for the predicated instructions from here on.
  void predicate(Reg lanes, int lane_bits = 32) { out_.emit("vctp.{} {}", lane_bits, lanes); }
  /// Predicates the next `count` loads or stores, up to 4.
  void begin_predicated(size_t count) { out_.emit("{}", "vpst" + std::string(count - 1, 't')); }
  struct Store {
    Reg from, to;  ///< to: one of r0 to r7
    int64_t offset = 0;
    bool moves = false;  ///< post-increment: adds `offset` to `to` after the store
  };
  void store_bytes(const Store& s, bool predicated) {
    const char* then = predicated ? "t" : "";
    if (s.moves) return out_.emit("vstrb{}.32 {}, [{}], #{}", then, s.from, s.to, s.offset);
    out_.emit("vstrb{}.32 {}, [{}, #{}]", then, s.from, s.to, s.offset);
  }

  /// Begins a loop of `count` turns with `counter`, which must be lr.
  void begin_loop(Reg counter, Reg count) {
    out_.emit("dls {}, {}", counter, count);
    out_.emit("1:");
  }
  void begin_loop_of(int64_t turns, Reg scratch, Reg counter) {
    out_.emit("movw {}, #{}", scratch, turns % 65536);
    if (turns > 65535) out_.emit("movt {}, #{}", scratch, turns / 65536);
    begin_loop(counter, scratch);
  }
  void end_loop(Reg counter) { out_.emit("le {}, 1b", counter); }

 private:
  void for_each_saved(const char* form, Reg at) {
    for (int i = 0; i < 4; ++i)
      out_.emit("{}", fmt::format(fmt::runtime(form), q(4 + i), at, i * kBytes));
  }
  // Sets every lane to a sign-extended byte.
  void fill(Reg vector, int value, int lane_bits = 32) {
    if (value >= 0) return out_.emit("vmov.i{} {}, #{}", lane_bits, vector, value);
    out_.emit("vmvn.i{} {}, #{}", lane_bits, vector, -value - 1);
  }

  Assembly& out_;
};

}  // namespace tinytune
