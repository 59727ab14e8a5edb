// What a loop of lane products (lanes/lane_products.h) asks of an instruction set: one file each.
//
// The loop multiplies words of inputs with bytes of weights. Of each product's words and weights
// one kind is kept in registers while the other passes by. An instruction set says which, where
// everything lives, how values are loaded, how a product is added to a sum, and how the loop ends.
#pragma once

#include <cstdint>

#include "templates/tile/load_scheduler.h"
#include "templates/tile/registers.h"

namespace tinytune {

struct LaneTile {
  int channels, words;  ///< sums: one for each of both
  int step;             ///< products between tests of the loop

  int64_t weight_bytes() const { return int64_t{step} * channels; }  ///< of a step
  int64_t word_bytes() const { return int64_t{4} * step * words; }
};

class ProductIsa {
 public:
  virtual ~ProductIsa() = default;

  /// What is data: of the loads of what passes, and what the kernel around the loop must know.
  struct Traits {
    AddressModes words, bytes;  ///< bytes with a sign, unless weights have an offset
    LoadOrder order = LoadOrder::kAhead;
    /// What sums start from is staged before a tile's words; else it comes in their registers.
    bool sums_start_staged = false;
    int weight_offset = 0;         ///< added to weights, which then have no sign
    bool multiplies_high = true;   ///< else in parts (lanes/multiplier_parts.h)
    bool multiplies_signs = true;  ///< signed by unsigned words, in one instruction
    bool keeps_constants = true;   ///< has registers for what is read again and again
    bool saturates = false;        ///< clamps in one instruction
    int fewest_sums = 8;           ///< that are worth their staging
  };
  const Traits& traits() const { return traits_; }

  virtual bool keeps_words(const LaneTile& tile) const = 0;

  /// Operands of a tile: the first of each kind, neighbours.
  struct Operands {
    Reg weights, inputs, end;  ///< cursors, and where that of weights ends
    Reg kept, sums;            ///< sums: [channel][word]
    Reg scratch;
    Registers passing;  ///< what is left for values that pass by
    /// The end comes in the scratch register, as what the loop carries last, and waits on the
    /// stack.
    bool end_waits = false;
    bool end_is_stored = false;  ///< there already, at the stack's top
    int last = 0;                ///< of all that the loop writes to
  };
  /// Without a register for what passes where there are too few.
  virtual Operands assign(const LaneTile& tile) const = 0;
  /// Whether registers, offsets and branches suffice.
  bool fits(const LaneTile& tile) const { return assign(tile).passing.suffice(1) && reaches(tile); }

  /// Before the loop; nothing where sums come in their registers.
  virtual void enter(const LaneTile&, const Operands&, Assembly&) const {}
  /// What is kept, `from` bytes from its cursor on.
  virtual void load_kept(const LaneTile& tile, const Operands& at, int64_t from,
                         Assembly& out) const = 0;
  /// Adds a product to `sum`. `last_of_kept`, `last_of_passing`: nothing reads it again.
  virtual void multiply_add(Reg sum, Reg kept, Reg passing, Reg scratch, bool last_of_kept,
                            bool last_of_passing, Assembly& out) const = 0;
  /// Moves the cursors on by a step, and returns to "1:".
  virtual void repeat(const LaneTile& tile, const Operands& at, Assembly& out) const = 0;

 protected:
  explicit ProductIsa(const Traits& traits) : traits_(traits) {}

 private:
  /// Whether the offsets of loads and the loop's branch do.
  virtual bool reaches(const LaneTile&) const { return true; }

  const Traits traits_;
};

/// Thumb, old and new: LDM loads what is kept, words, which stand behind what sums start from.
class ThumbProductIsa : public ProductIsa {
 public:
  explicit ThumbProductIsa(const Traits& own) : ProductIsa(on_thumb(own)) {}
  bool keeps_words(const LaneTile&) const override { return true; }
  void enter(const LaneTile& tile, const Operands& at, Assembly& out) const override {
    out.emit("mov {}, {}", at.end, at.kept);  // where weights end is the third operand
    load_kept(tile, at, 0, out);
    for (int c = 0; c < tile.channels; ++c)
      for (int i = 0; i < tile.words; ++i)
        out.emit("mov {}, {}", at.sums + (c * tile.words + i), at.kept + i);
  }
  void load_kept(const LaneTile& tile, const Operands& at, int64_t, Assembly& out) const override {
    out.emit("ldmia {}!, {{{}-{}}}", at.inputs, at.kept, at.kept + (tile.words - 1));
  }

 private:
  static Traits on_thumb(Traits own) {
    own.sums_start_staged = true, own.multiplies_signs = false, own.keeps_constants = false;
    own.fewest_sums = 3;
    return own;
  }
};

const ProductIsa& rv32_products();
const ProductIsa& thumb1_products();
const ProductIsa& thumb2_products();

}  // namespace tinytune
