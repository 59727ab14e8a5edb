// The interface of the loop of lane products (lanes/lane_products.h) to an instruction set; each
// instruction set is one file.
//
// The loop multiplies words of inputs with bytes of weights. For each product, one kind of operand
// is kept in registers while the values of the other kind pass through temporaries. An instruction
// set chooses the kind, assigns registers, and writes loads, products and the end of the loop.
#pragma once

#include <cstdint>

#include "templates/tile/load_scheduler.h"
#include "templates/tile/registers.h"

namespace tinytune {

struct LaneTile {
  int channels, words;  ///< there is one sum for each pair of a channel and a word
  int step;             ///< products per turn of the loop

  int64_t weight_bytes() const { return int64_t{step} * channels; }  ///< per step
  int64_t word_bytes() const { return int64_t{4} * step * words; }
};

class ProductIsa {
 public:
  virtual ~ProductIsa() = default;

  /// Constants: loads of passing values, and what the kernel around the loop must know.
  struct Traits {
    AddressModes words, bytes;  ///< loads of bytes sign-extend, unless weights have an offset
    LoadOrder order = LoadOrder::kAhead;
    /// The start values of sums are staged before a tile's words; else they are in registers.
    bool sums_start_staged = false;
    int weight_offset = 0;         ///< added to weights, which are then unsigned
    bool multiplies_high = true;   ///< else in parts (lanes/multiplier_parts.h)
    bool multiplies_signs = true;  ///< has a multiply-high of signed by unsigned words
    bool keeps_constants = true;   ///< has registers for values that are read repeatedly
    bool saturates = false;        ///< clamps in one instruction
    int fewest_sums = 8;           ///< fewest sums per tile that repay its staging
  };
  const Traits& traits() const { return traits_; }

  virtual bool keeps_words(const LaneTile& tile) const = 0;

  /// Operands of a tile. Each kind is consecutive; the first is given.
  struct Operands {
    Reg weights, inputs, end;  ///< cursors, and the end of the weights
    Reg kept, sums;            ///< sums: [channel][word]
    Reg scratch;
    Registers passing;  ///< registers for passing values
    /// The end has no register of its own: it is passed in the scratch register, as the last
    /// carried operand, and spilled to the stack.
    bool end_waits = false;
    bool end_is_stored = false;  ///< the end is already on top of the stack
    int last = 0;                ///< last operand that the loop writes to
  };
  /// Returns the assignment; `passing` is empty if there are too few registers.
  virtual Operands assign(const LaneTile& tile) const = 0;
  /// Returns whether registers suffice, and offsets and the branch reach.
  bool fits(const LaneTile& tile) const { return assign(tile).passing.suffice(1) && reaches(tile); }

  /// Writes the code before the loop; nothing if sums start in their registers.
  virtual void enter(const LaneTile&, const Operands&, Assembly&) const {}
  /// Loads the kept operands from `from` bytes after their cursor.
  virtual void load_kept(const LaneTile& tile, const Operands& at, int64_t from,
                         Assembly& out) const = 0;
  /// Adds a product to `sum`. `last_of_kept`, `last_of_passing`: the last use of that operand.
  virtual void multiply_add(Reg sum, Reg kept, Reg passing, Reg scratch, bool last_of_kept,
                            bool last_of_passing, Assembly& out) const = 0;
  /// Advances the cursors by a step and branches back to "1:".
  virtual void repeat(const LaneTile& tile, const Operands& at, Assembly& out) const = 0;

 protected:
  explicit ProductIsa(const Traits& traits) : traits_(traits) {}

 private:
  /// Returns whether the offsets of loads and the loop's branch reach.
  virtual bool reaches(const LaneTile&) const { return true; }

  const Traits traits_;
};

/// Thumb-1 and Thumb-2. The kept operands are words, which LDM loads; the start values of the sums
/// precede them.
class ThumbProductIsa : public ProductIsa {
 public:
  explicit ThumbProductIsa(const Traits& own) : ProductIsa(on_thumb(own)) {}
  bool keeps_words(const LaneTile&) const override { return true; }
  void enter(const LaneTile& tile, const Operands& at, Assembly& out) const override {
    out.emit("mov {}, {}", at.end, at.kept);  // the end of weights is the third operand
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
