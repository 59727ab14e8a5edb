// RV32IM: a product takes two instructions, and there are registers for large tiles.
//
// Cores have a load-use delay, so the next value is loaded before the products of the current one
// if a register is left. Of words and weights, the kind with fewer values is kept. Twenty sums with
// four kept values leave no register for the end of the loop, which is then read from the stack.
#include <algorithm>

#include "templates/isa/product_isa.h"

namespace tinytune {
namespace {

constexpr int kRegisters = 28;  // all but zero, sp, gp and tp

class Rv32Products final : public ProductIsa {
 public:
  Rv32Products()
      : ProductIsa({.words = {.word = "lw {0}, {2}({1})", .pair_reach = -1},
                    .bytes = {.word = "lb {0}, {2}({1})", .pair_reach = -1}}) {}

  bool keeps_words(const LaneTile& tile) const override { return tile.words <= tile.channels; }

  // Operands: cursors, sums, kept values, passing values (two if they are loaded ahead, else one),
  // a product; then the carried ones once more, and the end.
  Operands assign(const LaneTile& tile) const override {
    Registers all(kRegisters);
    Operands at{.passing = Registers(0)};
    at.weights = all.keep(), at.inputs = all.keep();
    const int sums = tile.channels * tile.words, kept = std::min(tile.words, tile.channels);
    at.sums = all.keep(sums);
    at.end_waits = kCursors + sums + kept + kFewestOthers == kRegisters;
    if (at.end_waits) {
      at.scratch = at.end = all.keep();
      at.kept = all.keep(kept);
      const Reg passing = all.keep();
      at.passing = Registers(passing, 1);
      at.last = passing.number;
      return at;
    }
    at.kept = all.keep(kept);
    const int passing = all.suffice(4) ? 2 : 1;  // 4: these two, a product, the end
    const Reg first = all.keep(passing);
    at.passing = Registers(first, all.suffice(2) ? passing : 0);
    at.scratch = all.keep();
    const int carried = 2 + sums;
    at.end = at.scratch + 1 + carried;
    at.last = at.scratch.number;
    return at;
  }
  void enter(const LaneTile&, const Operands& at, Assembly& out) const override {
    if (!at.end_waits || at.end_is_stored) return;
    out.emit("addi sp, sp, -{}", kFrame);
    out.emit("sw {}, 0(sp)", at.end);
  }
  void load_kept(const LaneTile& tile, const Operands& at, int64_t from,
                 Assembly& out) const override {
    const bool words = keeps_words(tile);
    for (int i = 0; i < (words ? tile.words : tile.channels); ++i)
      out.emit("{} {}, {}({})", words ? "lw" : "lb", at.kept + i, from + (words ? 4 * i : i),
               words ? at.inputs : at.weights);
  }
  void multiply_add(Reg sum, Reg kept, Reg passing, Reg scratch, bool, bool last_of_passing,
                    Assembly& out) const override {
    const Reg product = last_of_passing ? passing : scratch;
    out.emit("mul {}, {}, {}", product, kept, passing);
    out.emit("add {0}, {0}, {1}", sum, product);
  }
  void repeat(const LaneTile& tile, const Operands& at, Assembly& out) const override {
    out.emit("addi {0}, {0}, {1}", at.weights, tile.weight_bytes());
    out.emit("addi {0}, {0}, {1}", at.inputs, tile.word_bytes());
    if (at.end_waits) out.emit("lw {}, 0(sp)", at.end);
    out.emit("bne {}, {}, 1b", at.weights, at.end);
    if (at.end_waits && !at.end_is_stored) out.emit("addi sp, sp, {}", kFrame);
  }

 private:
  static constexpr int kCursors = 2, kFewestOthers = 2;  // a passing value and a product
  static constexpr int kFrame = 16;                      // bytes, as the stack is aligned
};

}  // namespace

const ProductIsa& rv32_products() {
  static const Rv32Products kIsa;
  return kIsa;
}

}  // namespace tinytune
