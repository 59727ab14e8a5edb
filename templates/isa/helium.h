// Helium (MVE-I, the vectors of Armv8.1-M; ADR 96) as kernels of 16 products at once write it.
//
// VMLADAVA adds the dot product of two vectors of 16 bytes to a core register, an even one. Sums of
// neighbouring channels move into the lanes of a vector, and their requantisation is the
// reference's own steps, four channels at a time: VQRDMULH is its saturating rounding doubling
// multiply, bit for bit, and VRSHL its rounding shift but for halves below zero, which VRSHL rounds
// up. A negative value is therefore made smaller by one before the shift; not where the activation
// clamps all of those, nor where nothing is shifted out.
//
// LLVM is told of none of these registers: it compiles for the core without vectors, so between
// pieces of assembly vectors stay as they are, and who writes q4 to q7 gives them back.
#pragma once

#include <cstdint>
#include <vector>

#include "templates/tile/assembly.h"
#include "templates/tile/load_scheduler.h"

namespace tinytune {

class Helium {
 public:
  static constexpr int kVectors = 8, kLanes = 4;
  static constexpr int64_t kBytes = 16;        ///< of a vector
  static constexpr int64_t kReach = 127;       ///< of an offset in bytes
  static constexpr int64_t kLoopBytes = 4094;  ///< that LE jumps back
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

  /// The assembler takes vectors from here to the end of the piece.
  explicit Helium(Assembly& out) : out_(out) { out_.emit(".cpu cortex-m55"); }

  /// q4 to q7, which belong to the caller, to where `to` points, and back.
  void save(Reg to) { for_each_saved("vstrw.32 {}, [{}, #{}]", to); }
  void restore(Reg from) { for_each_saved("vldrw.32 {}, [{}, #{}]", from); }
  /// 16 bytes, by way of q0.
  void copy(Reg from, Reg to) {
    out_.emit("vldrb.8 {}, [{}]", q(0), from);
    out_.emit("vstrb.8 {}, [{}]", q(0), to);
  }

  /// `sum`, an even register, is the dot product, or grows by it.
  void dot_product(Reg sum, Reg a, Reg b, bool adds) {
    out_.emit("vmladav{}.s8 {}, {}, {}", adds ? "a" : "", sum, a, b);
  }
  /// Two sums into the lanes `lane` and `lane` + 2.
  void to_lanes(Reg vector, int lane, Reg low, Reg high) {
    out_.emit("vmov {0}[{2}], {0}[{1}], {3}, {4}", vector, lane, lane + 2, low, high);
  }

  /// Steps of requantisation, of all these vectors one by one: the next instruction need not wait
  /// for this one's result.
  using Vectors = std::vector<Reg>;
  /// From where `params` points, which moves on.
  void load_words(Reg vector, Reg params) {
    out_.emit("vldrw.32 {}, [{}], #{}", vector, params, kBytes);
  }
  void add(const Vectors& sums, Reg by) {
    for (const Reg s : sums) out_.emit("vadd.i32 {0}, {0}, {1}", s, by);
  }
  void shift_left(const Vectors& sums, Reg by) {
    for (const Reg s : sums) out_.emit("vshl.s32 {0}, {0}, {1}", s, by);
  }
  void scale(const Vectors& sums, Reg multiplier) {
    for (const Reg s : sums) out_.emit("vqrdmulh.s32 {0}, {0}, {1}", s, multiplier);
  }
  /// So that VRSHL by `shift` (negative: to the right) rounds halves away from zero. `sometimes`:
  /// some lanes do not shift, whose values are left alone. Saturating, since the least word is one.
  /// A scratch register for each sum is lost.
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
  void add_word(const Vectors& sums, Reg word) {
    for (const Reg s : sums) out_.emit("vqadd.s32 {0}, {0}, {1}", s, word);
  }
  /// To [low, high], in the lowest byte of each lane; two scratch registers are lost.
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

  /// Stores of the lowest bytes of lanes are of `lanes` of them from here on, if they say so.
  void predicate(Reg lanes) { out_.emit("vctp.32 {}", lanes); }
  /// The next `count` stores, up to 4, are predicated().
  void begin_predicated(size_t count) { out_.emit("{}", "vpst" + std::string(count - 1, 't')); }
  struct Store {
    Reg from, to;  ///< to: one of r0 to r7
    int64_t offset = 0;
    bool moves = false;  ///< `to` moves on by `offset` afterwards instead
  };
  void store_bytes(const Store& s, bool predicated) {
    const char* then = predicated ? "t" : "";
    if (s.moves) return out_.emit("vstrb{}.32 {}, [{}], #{}", then, s.from, s.to, s.offset);
    out_.emit("vstrb{}.32 {}, [{}, #{}]", then, s.from, s.to, s.offset);
  }

  /// A loop of `count` turns in `counter`, which is lr, behind what the caller writes.
  void begin_loop(Reg counter, Reg count) {
    out_.emit("dls {}, {}", counter, count);
    out_.emit("1:");
  }
  void end_loop(Reg counter) { out_.emit("le {}, 1b", counter); }

 private:
  void for_each_saved(const char* form, Reg at) {
    for (int i = 0; i < 4; ++i)
      out_.emit("{}", fmt::format(fmt::runtime(form), q(4 + i), at, i * kBytes));
  }
  // A byte with its sign into every lane.
  void fill(Reg vector, int value) {
    if (value >= 0) return out_.emit("vmov.i32 {}, #{}", vector, value);
    out_.emit("vmvn.i32 {}, #{}", vector, -value - 1);
  }

  Assembly& out_;
};

}  // namespace tinytune
