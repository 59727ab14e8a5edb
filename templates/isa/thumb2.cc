// Thumb-2 without the DSP extension (Armv7-M, Cortex-M3): MLA adds a product in one instruction.
//
// LDM loads a product's words and advances their cursor. Weights are loaded in groups, because the
// second and later loads of a group take one cycle; the first load of a step advances their cursor.
// The start values of sums precede a tile's first words.
#include "templates/isa/product_isa.h"

namespace tinytune {
namespace {

constexpr int kRegisters = 14;                      // r0 to r12 and lr
constexpr int64_t kReach = 4095, kReachBack = 255;  // largest offsets
constexpr int kMostLines = 200;                     // lines per step

class Thumb2Products final : public ThumbProductIsa {
 public:
  Thumb2Products()
      : ThumbProductIsa({.bytes = {.word = "ldrsb {}, [{}, #{}]",
                                   .word_post = "ldrsb {}, [{}], #{}",
                                   .move = "adds {}, #{}",
                                   .reach = kReach,
                                   .reach_back = kReachBack,
                                   .pair_reach = -1},
                         .order = LoadOrder::kGrouped,
                         .saturates = true}) {}

  Operands assign(const LaneTile& tile) const override {
    Registers all(kRegisters);
    Operands at{.passing = Registers(0)};
    at.weights = all.keep(), at.inputs = all.keep();
    at.kept = all.keep(tile.words);
    at.sums = all.keep(tile.channels * tile.words);
    at.end = all.keep();
    at.passing = all;
    return at;
  }
  void multiply_add(Reg sum, Reg word, Reg weight, Reg, bool, bool, Assembly& out) const override {
    out.emit("mla {0}, {1}, {2}, {0}", sum, word, weight);
  }
  void repeat(const LaneTile&, const Operands& at, Assembly& out) const override {
    out.emit("cmp {}, {}", at.weights, at.end);
    out.emit("bne 1b");
  }

 private:
  bool reaches(const LaneTile& tile) const override {
    return tile.weight_bytes() <= kReachBack &&
           tile.step * (tile.channels * (tile.words + 1) + 1) <= kMostLines;
  }
};

}  // namespace

const ProductIsa& thumb2_products() {
  static const Thumb2Products kIsa;
  return kIsa;
}

}  // namespace tinytune
