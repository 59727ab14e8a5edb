// Thumb-1, where most instructions access only the low eight of sixteen registers.
//
// ADD also accesses the high ones, so sums are in r8 and up, and all other values in low registers.
// LDM loads a product's words in one instruction and advances the cursor. MULS overwrites one of
// its factors: the last channel may overwrite the words, the channels before it multiply copies.
//
// Loading a byte with its sign takes an index register or a second instruction, so weights are
// stored with 128 added. This adds 128 times the sum of the words to every sum, so sums start lower
// by that amount. It is the same for all channels, so it is staged once, before the words.
#include "templates/isa/product_isa.h"

namespace tinytune {
namespace {

constexpr int kLow = 8, kHigh = 6;  // r8 to r12 and lr
constexpr int kMostOffset = 31;     // largest offset of a byte load
constexpr int kReach = 252;         // bytes that the loop's branch may go back

bool needs_copies(const LaneTile& tile) { return tile.channels > 1 && tile.words > 1; }

// Returns the size of the loop's code; each instruction takes two bytes.
int body_bytes(const LaneTile& tile) {
  const int copies = (tile.channels - 1) * (tile.words - 1);
  return 2 * tile.step * (1 + tile.channels + 2 * tile.channels * tile.words + copies) + 6;
}

class Thumb1Products final : public ThumbProductIsa {
 public:
  Thumb1Products()
      : ThumbProductIsa({.bytes = {.word = "ldrb {}, [{}, #{}]", .pair_reach = -1},
                         .weight_offset = 128,
                         .multiplies_high = false}) {}

  // The loop's end is in the last high register if the sums leave it free, else in the last low
  // one.
  Operands assign(const LaneTile& tile) const override {
    const int sums = tile.channels * tile.words;
    Registers low(kLow), high(Reg{kLow}, kHigh);
    Operands at{.passing = Registers(0)};
    at.weights = low.keep(), at.inputs = low.keep();
    at.kept = low.keep(tile.words);
    at.passing = Registers(low.keep(), 1);
    at.scratch = needs_copies(tile) ? low.keep() : Reg{};
    at.sums = high.keep(sums);
    at.end = high.suffice(1) ? Reg{kLow + kHigh - 1} : Reg{kLow - 1};
    if (!high.suffice(1)) low.keep();
    if (!low.suffice() || !high.suffice()) at.passing = Registers(0);
    return at;
  }
  void multiply_add(Reg sum, Reg word, Reg weight, Reg copy, bool word_may_go, bool weight_may_go,
                    Assembly& out) const override {
    const Reg into = word_may_go ? word : weight_may_go ? weight : copy;
    if (into == copy) out.emit("mov {}, {}", copy, word);
    out.emit("muls {0}, {1}, {0}", into, into == weight ? word : weight);
    out.emit("add {}, {}", sum, into);
  }
  void repeat(const LaneTile& tile, const Operands& at, Assembly& out) const override {
    out.emit("adds {}, #{}", at.weights, tile.weight_bytes());
    out.emit("cmp {}, {}", at.weights, at.end);
    out.emit("bne 1b");
  }

 private:
  bool reaches(const LaneTile& tile) const override {
    return tile.weight_bytes() <= kMostOffset + 1 && body_bytes(tile) <= kReach;
  }
};

}  // namespace

const ProductIsa& thumb1_products() {
  static const Thumb1Products kIsa;
  return kIsa;
}

}  // namespace tinytune
