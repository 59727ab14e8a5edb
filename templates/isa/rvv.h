// RVV (Zve32x, RISC-V's integer vectors; ADR 97): the instructions of kernels whose lanes are
// output channels.
//
// VWMACC.VX multiplies the 16-bit weights of all lanes by one input, a scalar, and adds the
// products to 32-bit sums. `words` registers hold 32 bits of every lane; half as many hold 16 bits,
// a quarter 8. The element width is processor state; changing it keeps the number of lanes.
//
// Loads of whole registers depend neither on that state nor on the vector length. But their size
// depends on VLEN, so a kernel is written for one VLEN.
//
// The requantisation is the reference's own, bit for bit. VSMUL is its saturating rounding doubling
// multiply. VNCLIP is its rounding shift except for negative halves, which VNCLIP rounds up. So
// negative values are decremented before the shift, unless the activation clamps all of them, and
// except in lanes that do not shift.
//
// LLVM does not know of these registers and uses none, so they keep their values between pieces of
// assembly. All are caller-saved, as are the vector length, the type and the rounding mode.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "devices/device.h"
#include "templates/tile/assembly.h"
#include "templates/tile/load_scheduler.h"

namespace tinytune {

/// A vector register, v0 to v31, or the first of a group.
struct VectorReg {
  int number = 0;

  constexpr VectorReg operator+(int further) const { return {number + further}; }
};

}  // namespace tinytune

template <>
struct fmt::formatter<tinytune::VectorReg> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(tinytune::VectorReg reg, Context& context) const {
    return fmt::format_to(context.out(), "v{}", reg.number);
  }
};

namespace tinytune {

/// The layout of values in vector registers.
struct RvvLanes {
  int vector_bits;  ///< bits per register (VLEN)
  int words;        ///< registers for 32 bits of every lane: 1, 2, 4 or 8

  int register_bytes() const { return vector_bits / 8; }
  int count() const { return vector_bits / 32 * words; }
  /// Returns the number of tiles of count() lanes that hold `channels`.
  int tiles(int channels) const { return (channels + count() - 1) / count(); }
  /// Returns the average number of channels per tile.
  double used(int channels) const { return static_cast<double>(channels) / tiles(channels); }
  /// Returns the number of registers for `bits` of every lane; 1 if a part of one suffices.
  int registers(int bits) const { return std::max(1, words * bits / 32); }
  /// Returns whether half the registers would hold `channels` as well.
  bool exceed(int channels) const { return words > 1 && count() / 2 >= channels; }
  bool fills_registers(int bits) const { return words * bits >= 32; }
  /// "e16, m2"
  std::string type(int bits) const {
    const int quarters = words * bits / 8;
    return fmt::format("e{}, m{}{}, ta, ma", bits, quarters < 4 ? "f" : "",
                       quarters < 4 ? 4 / quarters : quarters / 4);
  }
};

/// Returns whether kernels for this core may use its vectors. Vectors shorter than kLeast bits are
/// of no use; eight registers of more than kMost bits exceed an instruction's address increment.
inline bool has_rvv(const Target& target) {
  constexpr uint32_t kLeast = 64, kMost = 1024;
  return target.family == CoreFamily::kRiscv32 && !target.portable_kernels &&
         target.vector_bits >= kLeast && target.vector_bits <= kMost;
}

class Rvv {
 public:
  static constexpr int kRegisters = 32;
  static constexpr int64_t kReach = 2047;      ///< largest immediate or offset
  static constexpr int64_t kJumpBytes = 4000;  ///< largest backward branch to a loop's start
  static constexpr AddressModes kScalars = {.word = "lb {0}, {2}({1})",
                                            .word_post = nullptr,
                                            .pair = nullptr,
                                            .pair_post = nullptr,
                                            .move = "addi {0}, {0}, {1}",
                                            .reach = kReach,
                                            .reach_back = 0,
                                            .pair_reach = -1};

  Rvv(const RvvLanes& lanes, Assembly& out) : lanes_(lanes), out_(out) {}

  /// Sets rounding to nearest, halves up; required before rounding instructions.
  void set_rounding() { out_.emit("csrwi vxrm, 0"); }
  /// Sets the number of lanes to `length`, at most count().
  void set_length(Reg length, int bits) {
    out_.emit("vsetvli zero, {}, {}", length, lanes_.type(bits));
  }
  void set_width(int bits) { out_.emit("vsetvli zero, zero, {}", lanes_.type(bits)); }

  /// Writes `to` = `from` + `bytes`; `scratch` may be `to`, but not `from`.
  void add(Reg to, Reg from, int64_t bytes, Reg scratch) {
    if (bytes >= -kReach - 1 && bytes <= kReach)
      return out_.emit("addi {}, {}, {}", to, from, bytes);
    out_.emit("li {}, {}", scratch, bytes);
    out_.emit("add {}, {}, {}", to, from, scratch);
  }

  /// Adds `bytes` to all cursors.
  void move(const std::vector<Reg>& cursors, int64_t bytes, Reg scratch) {
    const bool reaches = bytes >= -kReach - 1 && bytes <= kReach;
    if (!reaches) out_.emit("li {}, {}", scratch, bytes);
    for (const Reg cursor : cursors)
      reaches ? out_.emit("addi {0}, {0}, {1}", cursor, bytes)
              : out_.emit("add {0}, {0}, {1}", cursor, scratch);
  }

  /// Loads `bits` of every lane from the address `from`.
  void load_in_place(VectorReg to, int bits, Reg from) {
    out_.emit("vle{}.v {}, ({})", bits, to, from);
  }
  /// The same, and advances `from` by the bytes of count() lanes.
  void load(VectorReg to, int bits, Reg from) {
    load_in_place(to, bits, from);
    out_.emit("addi {0}, {0}, {1}", from, lanes_.count() * bits / 8);
  }
  void load_registers(VectorReg to, int count, Reg from) {
    out_.emit("vl{}re8.v {}, ({})", count, to, from);
    out_.emit("addi {0}, {0}, {1}", from, count * lanes_.register_bytes());
  }
  /// Copies `bytes` contiguous bytes. Clobbers v0 to v7, length, type and both addresses.
  void copy(Reg from, Reg to, int64_t bytes, Reg scratch) {
    const int64_t most = 8 * lanes_.register_bytes();
    for (int64_t left = bytes; left > 0; left -= most) {
      const int64_t now = std::min(left, most);
      // Vector units process all registers of a group, however short the length is.
      int registers = 1;
      while (registers * lanes_.register_bytes() < now) registers *= 2;
      out_.emit("li {}, {}", scratch, now);
      out_.emit("vsetvli zero, {}, e8, m{}, ta, ma", scratch, registers);
      out_.emit("vle8.v v0, ({})", from);
      out_.emit("vse8.v v0, ({})", to);
      if (left <= most) break;
      out_.emit("addi {0}, {0}, {1}", from, most);
      out_.emit("addi {0}, {0}, {1}", to, most);
    }
  }
  /// Stores the byte `value` `bytes` times. Clobbers v0 to v7, length, type, `to` and both
  /// counters.
  void fill(Reg to, int64_t bytes, int value, Reg left, Reg some) {
    out_.emit("li {}, {}", left, value);
    out_.emit("vsetvli {}, zero, e8, m8, ta, ma", some);
    out_.emit("vmv.v.x v0, {}", left);
    out_.emit("li {}, {}", left, bytes);
    out_.emit("1:");
    out_.emit("vsetvli {}, {}, e8, m8, ta, ma", some, left);
    out_.emit("vse8.v v0, ({})", to);
    out_.emit("add {0}, {0}, {1}", to, some);
    out_.emit("sub {0}, {0}, {1}", left, some);
    out_.emit("bnez {}, 1b", left);
  }

  /// Widens 8 bits to 16, at a width of 16; `from` may be the last part of the group `to`.
  void widen(VectorReg to, VectorReg from) { out_.emit("vsext.vf2 {}, {}", to, from); }
  /// Add products of 16-bit values to 32-bit sums, at a width of 16.
  void add_products(VectorReg sum, Reg factor, VectorReg factors) {
    out_.emit("vwmacc.vx {}, {}, {}", sum, factor, factors);
  }
  void add_products(VectorReg sum, VectorReg a, VectorReg b) {
    out_.emit("vwmacc.vv {}, {}, {}", sum, a, b);
  }
  /// Multiply bytes to 16 bits, at a width of 8; add_bytes() adds a second product.
  void multiply_bytes(VectorReg to, Reg factor, VectorReg factors) {
    out_.emit("vwmul.vx {}, {}, {}", to, factors, factor);
  }
  void multiply_bytes(VectorReg to, VectorReg a, VectorReg b) {
    out_.emit("vwmul.vv {}, {}, {}", to, a, b);
  }
  void add_bytes(VectorReg to, VectorReg a, VectorReg b) { add_products(to, a, b); }
  void add_bytes(VectorReg to, Reg factor, VectorReg factors) { add_products(to, factor, factors); }
  /// Adds 16-bit values to 32-bit sums, at a width of 16.
  void add_wide(VectorReg sum, VectorReg half) { out_.emit("vwadd.wv {0}, {0}, {1}", sum, half); }
  void copy(VectorReg to, VectorReg from) { out_.emit("vmv.v.v {}, {}", to, from); }

  /// Write one step of the requantisation for all register groups in turn, so that no instruction
  /// waits for the result of the one before. At a width of 32:
  using Groups = std::vector<VectorReg>;
  void shift_left(const Groups& sums, VectorReg by) {
    for (const VectorReg s : sums) out_.emit("vsll.vv {0}, {0}, {1}", s, by);
  }
  void scale(const Groups& sums, VectorReg multiplier) {
    for (const VectorReg s : sums) out_.emit("vsmul.vv {0}, {0}, {1}", s, multiplier);
  }
  /// Decrements negative values, so that the shift rounds halves away from zero; only in the lanes
  /// of the mask `only`, if given. Clobbers v0.
  void turn_halves(const Groups& sums, const VectorReg* only) {
    for (const VectorReg s : sums) {
      out_.emit("vmslt.vx v0, {}, zero", s);
      if (only != nullptr) out_.emit("vmand.mm v0, v0, {}", *only);
      out_.emit("vadd.vi {0}, {0}, -1, v0.t", s);
    }
  }
  /// Loads a mask: a bit for every lane, stored in whole words.
  void load_mask(VectorReg to, Reg from) {
    out_.emit("vlm.v {}, ({})", to, from);
    out_.emit("addi {0}, {0}, {1}", from, mask_words() * 4);
  }
  int mask_words() const { return (lanes_.count() + 31) / 32; }
  /// At a width of 16: shifts right and saturates to 16 bits.
  void shift_right(const Groups& sums, VectorReg by) {
    for (const VectorReg s : sums) out_.emit("vnclip.wv {0}, {0}, {1}", s, by);
  }
  void add_half(const Groups& sums, Reg half) {
    for (const VectorReg s : sums) out_.emit("vsadd.vx {0}, {0}, {1}", s, half);
  }
  /// At a width of 8: saturates to 8 bits; the next two clamp to limits.
  void narrow(const Groups& sums) {
    for (const VectorReg s : sums) out_.emit("vnclip.wi {0}, {0}, 0", s);
  }
  void at_least(const Groups& sums, Reg low) {
    for (const VectorReg s : sums) out_.emit("vmax.vx {0}, {0}, {1}", s, low);
  }
  void at_most(const Groups& sums, Reg high) {
    for (const VectorReg s : sums) out_.emit("vmin.vx {0}, {0}, {1}", s, high);
  }
  void store_bytes(VectorReg from, Reg to) { out_.emit("vse8.v {}, ({})", from, to); }

  const RvvLanes& lanes() const { return lanes_; }
  Assembly& out() { return out_; }

 private:
  const RvvLanes lanes_;
  Assembly& out_;
};

}  // namespace tinytune
