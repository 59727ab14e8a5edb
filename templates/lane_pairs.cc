#include "templates/lane_pairs.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

namespace tinytune {
namespace {

constexpr int kRegisters = 28;  // of RV32, but zero, sp, gp and tp
constexpr int kWeights = 0, kGroups = 1, kInputs = 2, kFirstSum = 3;

// Operands: what is carried, a lane pair's accumulator each, an input, two words, a group's end.
class Writer {
 public:
  explicit Writer(const LanePairs& tile)
      : tile_(tile),
        accumulator_(kFirstSum + 2 * tile.pairs),
        input_(accumulator_ + tile.pairs),
        word_(input_ + 1),
        end_(word_ + 2),
        start_(end_ + 1 + accumulator_) {
    emit("lbu ${}, 0(${})", end_, kGroups);
    text_ += "1:\\0A\\09";
    emit("add ${0}, ${0}, ${1}", end_, kInputs);
    step(tile.first, true);
    emit("beq ${}, ${}, 3f", kInputs, end_);
    text_ += "2:\\0A\\09";
    step(tile.step, false);
    emit("bne ${}, ${}, 2b", kInputs, end_);
    text_ += "3:\\0A\\09";
    emit("lbu ${}, 1(${})", end_, kGroups);
    emit("addi ${0}, ${0}, 1", kGroups);
    for (int q = 0; q < tile.pairs; ++q) empty(q);
    text_ += fmt::format("bnez ${}, 1b", end_);
  }

  const std::string& text() const { return text_; }
  int temporaries() const { return end_ + 1 - accumulator_; }

 private:
  template <typename... Operands>
  void emit(fmt::format_string<Operands...> format, Operands&&... operands) {
    text_ += fmt::format(format, std::forward<Operands>(operands)...) + "\\0A\\09";
  }

  void load_word(int u, int q) {
    emit("lw ${}, {}(${})", word_ + q % 2, 4 * (u * tile_.pairs + q), kWeights);
  }

  // A group's first products begin where lanes start from.
  void step(int products, bool first) {
    for (int u = 0; u < products; ++u) {
      emit("lb ${}, {}(${})", input_, u, kInputs);
      load_word(u, 0);
      for (int q = 0; q < tile_.pairs; ++q) {
        if (q + 1 < tile_.pairs) load_word(u, q + 1);
        const int word = word_ + q % 2;
        emit("mul ${0}, ${0}, ${1}", word, input_);
        emit("add ${}, ${}, ${}", accumulator_ + q, first && u == 0 ? start_ : accumulator_ + q,
             word);
      }
    }
    emit("addi ${0}, ${0}, {1}", kWeights, 4 * products * tile_.pairs);
    emit("addi ${0}, ${0}, {1}", kInputs, products);
  }

  void empty(int q) {
    const int sum = kFirstSum + 2 * q, high = sum + 1, accumulator = accumulator_ + q;
    emit("add ${0}, ${0}, ${1}", sum, accumulator);
    emit("srai ${0}, ${0}, 16", accumulator);
    emit("add ${0}, ${0}, ${1}", high, accumulator);
  }

  const LanePairs& tile_;
  const int accumulator_, input_, word_, end_, start_;
  std::string text_;
};

}  // namespace

bool lane_pairs_fit(const LanePairs& tile) {
  constexpr int kOthers = 8;  // three cursors, an input, two words, an end and a start
  return 3 * tile.pairs + kOthers <= kRegisters;
}

IrText::Values add_lane_pairs(const LanePairs& tile, const IrText::Values& carried, IrText& ir) {
  const Writer writer(tile);
  return ir.assembly(writer.text(), carried, {ir.opaque(IrText::number(0x8000))},
                     writer.temporaries());
}

}  // namespace tinytune
