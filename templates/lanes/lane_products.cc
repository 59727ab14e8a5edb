#include "templates/lanes/lane_products.h"

#include <algorithm>

#include "templates/tile/assembly.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

constexpr int kRegisters = 28;  // of RV32, but zero, sp, gp and tp
constexpr int kCursors = 2;     // of weights and of words; the sums follow

bool keeps_words(const LaneTile& tile) { return tile.words <= tile.channels; }
int kept(const LaneTile& tile) { return std::min(tile.words, tile.channels); }
int passing(const LaneTile& tile) { return std::max(tile.words, tile.channels); }

// Of all but what passes: cursors and an end, sums, what is kept, and a product.
int registers(const LaneTile& tile) {
  return kCursors + 1 + tile.channels * tile.words + kept(tile) + 1;
}

size_t sum_at(const LaneTile& tile, int kept, int passing) {
  const int channel = keeps_words(tile) ? passing : kept;
  const int word = keeps_words(tile) ? kept : passing;
  return static_cast<size_t>(kCursors + channel * tile.words + word);
}

// Bytes from the cursors to what is kept, and to what passes, of a step's product `u`.
int64_t kept_offset(const LaneTile& tile, int u, int i) {
  return keeps_words(tile) ? 4 * (int64_t{u} * tile.words + i) : int64_t{u} * tile.channels + i;
}
int64_t passing_offset(const LaneTile& tile, int u, int i) {
  return keeps_words(tile) ? int64_t{u} * tile.channels + i : 4 * (int64_t{u} * tile.words + i);
}

Values in_llvm(const LaneTile& tile, const Values& initial, const Value& weights_end, IrText& ir) {
  return ir.do_while(initial, [&](const Values& v) {
    const auto word = [&](int64_t offset) { return ir.load_word(ir.at(v[1], offset)); };
    const auto weight = [&](int64_t offset) { return ir.load_byte(ir.at(v[0], offset), true); };
    Values next = v;
    for (int u = 0; u < tile.step; ++u) {
      Values stay;
      for (int i = 0; i < kept(tile); ++i) {
        const int64_t offset = kept_offset(tile, u, i);
        stay.push_back(keeps_words(tile) ? word(offset) : weight(offset));
      }
      for (int j = 0; j < passing(tile); ++j) {
        const int64_t offset = passing_offset(tile, u, j);
        const Value other = keeps_words(tile) ? weight(offset) : word(offset);
        for (int i = 0; i < kept(tile); ++i) {
          Value& sum = next[sum_at(tile, i, j)];
          sum = ir.add(sum, ir.mul(stay[static_cast<size_t>(i)], other));
        }
      }
    }
    next[0] = ir.at(v[0], tile.weight_bytes());
    next[1] = ir.at(v[1], tile.word_bytes());
    next.push_back(ir.differs(next[0], weights_end));
    return next;
  });
}

// Operands: cursors, sums, what is kept, what passes (one or, loaded ahead, two), a product.
class Code {
 public:
  explicit Code(const LaneTile& tile)
      : tile_(tile),
        first_kept_(kCursors + tile.channels * tile.words),
        ahead_(registers(tile) + 2 <= kRegisters ? 1 : 0) {
    text_.emit("1:");
    for (int u = 0; u < tile.step; ++u) step(u);
    text_.emit("addi $0, $0, {}", tile.weight_bytes());
    text_.emit("addi $1, $1, {}", tile.word_bytes());
    const int carried = first_kept_, end = carried + temporaries() + carried;
    text_.emit("bne $0, ${}, 1b", end);
  }

  const std::string& text() const { return text_.text(); }
  int temporaries() const { return kept(tile_) + 1 + ahead_ + 1; }

 private:
  void load(int operand, bool is_word, int64_t offset) {
    text_.emit("{} ${}, {}(${})", is_word ? "lw" : "lb", operand, offset, is_word ? 1 : 0);
  }

  int passing_at(int j) const { return first_kept_ + kept(tile_) + (j & ahead_); }

  void load_passing(int u, int j) {
    load(passing_at(j), !keeps_words(tile_), passing_offset(tile_, u, j));
  }

  void step(int u) {
    const bool words = keeps_words(tile_);
    const int product = first_kept_ + kept(tile_) + 1 + ahead_, last = kept(tile_) - 1;
    for (int i = 0; i <= last; ++i) load(first_kept_ + i, words, kept_offset(tile_, u, i));
    if (ahead_ == 1) load_passing(u, 0);
    for (int j = 0; j < passing(tile_); ++j) {
      if (j + ahead_ < passing(tile_)) load_passing(u, j + ahead_);
      const int other = passing_at(j);
      for (int i = 0; i <= last; ++i) {
        const int into = i == last ? other : product;  // the last to need it
        text_.emit("mul ${}, ${}, ${}", into, first_kept_ + i, other);
        text_.emit("add ${0}, ${0}, ${1}", sum_at(tile_, i, j), into);
      }
    }
  }

  const LaneTile& tile_;
  const int first_kept_, ahead_;
  Assembly text_;
};

}  // namespace

bool lane_tile_fits(const LaneTile& tile) { return registers(tile) + 1 <= kRegisters; }

Values add_lane_products(const LaneTile& tile, LaneLoop loop, const Value& weights,
                         const Value& weights_end, const Value& inputs, const Values& sums,
                         IrText& ir) {
  Values carried = {weights, inputs};
  carried.insert(carried.end(), sums.begin(), sums.end());
  if (loop == LaneLoop::kLlvm) {
    carried = in_llvm(tile, carried, weights_end, ir);
  } else {
    const Code assembly(tile);
    carried = ir.assembly(assembly.text(), carried, {weights_end}, assembly.temporaries());
  }
  return Values(carried.begin() + kCursors, carried.end());
}

}  // namespace tinytune
