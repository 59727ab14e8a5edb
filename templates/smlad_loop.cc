#include "templates/smlad_loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

constexpr int kRegisters = 14;  // r0 to r12 and lr
constexpr int kCursors = 2;     // weights, inputs
constexpr int64_t kReach = 4095;

/// How registers beside sums, cursors and the end are used.
struct Grouping {
  int pairs = 0;  ///< of inputs that are in registers together; 0: they do not fit
  int words = 0;  ///< of weights that are
};

int registers_left(const SmladTile& tile) {
  return kRegisters - kCursors - 1 - tile.channels * tile.pixels;
}

// The fewest cycles a pair: a load each, and one more for each group of them.
Grouping best_grouping(const SmladTile& tile, bool as_bytes, int step) {
  Grouping best;
  double least = 0;
  for (int pairs = as_bytes ? 2 : 1; pairs <= step; pairs *= 2) {
    const int words = std::min(registers_left(tile) - pairs * tile.pixels, pairs * tile.words());
    if (step % pairs != 0 || words < 1) continue;
    const int groups = (pairs * tile.words() + words - 1) / words;
    const double cycles = static_cast<double>(groups) / pairs;
    if (best.pairs == 0 || cycles < least) best = {pairs, words}, least = cycles;
  }
  return best;
}

/// One step of the loop. Operands are numbered as IrText::assembly numbers them.
class StepText {
 public:
  StepText(const SmladTile& tile, const SmladInputs& inputs, int step)
      : tile_(tile), inputs_(inputs), group_(best_grouping(tile, inputs.as_bytes, step)) {
    for (int pair = 0; pair < step; pair += group_.pairs) write_group(pair);
  }

  int temporaries() const { return group_.pairs * tile_.pixels + group_.words; }
  const std::string& text() const { return text_; }

 private:
  void line(const std::string& instruction) { text_ += instruction + "\\0A\\09"; }

  int sum(int pixel, int channel) const { return kCursors + pixel * tile_.channels + channel; }
  int temporary(int i) const { return kCursors + tile_.channels * tile_.pixels + i; }
  int input(int pair, int pixel) const { return temporary(pair * tile_.pixels + pixel); }
  int weight(int word) const { return temporary(group_.pairs * tile_.pixels + word); }

  void load(int to, int cursor, int64_t offset) {
    line(fmt::format("ldr ${}, [${}, #{}]", to, cursor, offset));
  }

  // Of `first` and the pairs that are loaded with it.
  void write_group(int first) {
    const int words = group_.pairs * tile_.words();
    for (int from = 0; from < words; from += group_.words) {
      const int count = std::min(group_.words, words - from);
      if (from == 0) load_inputs(first);
      for (int i = 0; i < count; ++i)
        load(weight(i), 0, 4 * (int64_t{first} * tile_.words() + from + i));
      if (from == 0 && inputs_.as_bytes) widen_inputs();
      for (int i = 0; i < count; ++i) multiply(weight(i), from + i);
    }
  }

  void load_inputs(int first) {
    for (int pair = 0; pair < group_.pairs; ++pair)
      for (int i = 0; i < tile_.pixels; ++i)
        if (!inputs_.as_bytes || pair % 2 == 1)
          load(input(pair, i), 1,
               inputs_.as_bytes ? 2 * (first + pair - 1)
                                : (first + pair) * inputs_.pair_bytes + i * inputs_.pixel_bytes);
  }

  // Words of four inputs are where their second pair will be.
  void widen_inputs() {
    for (int pair = 0; pair < group_.pairs; pair += 2) {
      line(fmt::format("sxtb16 ${}, ${}", input(pair, 0), input(pair + 1, 0)));
      line(fmt::format("sxtb16 ${0}, ${0}, ror #8", input(pair + 1, 0)));
    }
  }

  // All pixels with one word of weights; `word` counts those of the group.
  void multiply(int weights, int word) {
    const int pair = word / tile_.words(), in_pair = word % tile_.words();
    if (tile_.form == WeightForm::kPairs) return add_products(weights, pair, in_pair);
    add_products(weights, pair, 2 * in_pair + 1);
    line(fmt::format("sxtb16 ${0}, ${0}", weights));
    add_products(weights, pair, 2 * in_pair);
  }

  void add_products(int weights, int pair, int channel) {
    for (int i = 0; i < tile_.pixels; ++i)
      line(fmt::format("smlad ${0}, ${1}, ${2}, ${0}", sum(i, channel), input(pair, i), weights));
  }

  const SmladTile& tile_;
  const SmladInputs& inputs_;
  const Grouping group_;
  std::string text_;
};

}  // namespace

bool SmladLoop::fits(const SmladTile& tile, const SmladInputs& inputs, int step) {
  if (tile.form == WeightForm::kJoined && tile.channels % 2 != 0) return false;
  if (inputs.as_bytes && (tile.pixels > 1 || step % 2 != 0)) return false;
  return best_grouping(tile, inputs.as_bytes, step).pairs > 0 &&
         (step - 1) * inputs.pair_bytes + (tile.pixels - 1) * inputs.pixel_bytes <= kReach &&
         tile.weight_bytes(step) <= kReach && inputs.step_bytes <= kReach;
}

Values SmladLoop::start(const Value& weights, const Value& inputs, const Value& params) {
  // The second of two joined channels sums both: it starts as the first does.
  const int step = tile_.form == WeightForm::kJoined ? 2 : 1;
  Values carried = {weights, inputs};
  for (int i = 0; i < tile_.pixels; ++i)
    for (int c = 0; c < tile_.channels; ++c)
      carried.push_back(ir_.load_word(ir_.at(params, param_bytes_ * (c / step * step))));
  return carried;
}

Values SmladLoop::run(const Values& carried, const Value& weights_end) {
  const StepText step(tile_, inputs_, step_);
  const size_t end = 2 * carried.size() + static_cast<size_t>(step.temporaries());
  const std::string text =
      "1:\\0A\\09" + step.text() +
      fmt::format("add $0, #{}\\0A\\09add $1, #{}\\0A\\09cmp $0, ${}\\0A\\09bne 1b",
                  tile_.weight_bytes(step_), inputs_.step_bytes, end);
  return ir_.assembly(text, carried, {weights_end}, step.temporaries());
}

Values SmladLoop::finish(const Value& params, const Values& carried) {
  Values sums(carried.begin() + kCursors, carried.end());
  if (tile_.form != WeightForm::kJoined) return sums;
  for (int c = 1; c < tile_.channels; c += 2) {
    const Value bias = ir_.load_word(ir_.at(params, param_bytes_ * c));
    for (int i = 0; i < tile_.pixels; ++i) {
      Value& both = sums[index(i, c)];
      both =
          ir_.add(bias, ir_.shift_right(ir_.sub(both, sums[index(i, c - 1)]), IrText::number(8)));
    }
  }
  return sums;
}

}  // namespace tinytune
