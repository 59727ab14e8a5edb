#include "templates/smlad/smlad_points.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tinytune {
namespace {

constexpr int kRegisters = 14;
constexpr int64_t kReach = 4095;
constexpr int kWeights = 0, kInputs = 1, kFirstSum = SmladStep::kCursors;
// The frame, in bytes from the stack pointer: where a step looks for the end of its loop, where the
// next sums go, and where the last ones end.
constexpr int kEndAt = 0, kSumsAt = 4, kSumsEndAt = 8, kFrame = 16;

class Writer {
 public:
  Writer(const SmladTile& tile, const SmladStep& step)
      : tile_(tile), step_(step), end_(kFirstSum + tile.channels * tile.pixels) {}

  // At the start the first sum holds where sums go.
  std::string write(int64_t point_bytes, int64_t sum_bytes) {
    emit("sub sp, #{}", kFrame);
    emit("str ${}, [sp, #{}]", kFirstSum, kSumsAt);
    emit("addw ${0}, ${0}, #{1}", kFirstSum, sum_bytes);
    emit("str ${}, [sp, #{}]", kFirstSum, kSumsEndAt);
    text_ += "1:\\0A\\09";
    start();
    emit("addw ${}, ${}, #{}", end_, kWeights, point_bytes);
    if (step_.end_on_stack) emit("str ${}, [sp, #{}]", end_, kEndAt);
    text_ += ".p2align 2\\0A\\092:\\0A\\09" + step_.text;
    emit("cmp ${}, ${}", kWeights, end_);
    emit("bne 2b");
    store();
    emit("bne 1b");
    emit("add sp, #{}", kFrame);
    return text_;
  }

 private:
  template <typename... Operands>
  void emit(fmt::format_string<Operands...> format, Operands&&... operands) {
    text_ += fmt::format(format, std::forward<Operands>(operands)...) + "\\0A\\09";
  }
  int sum(int square, int channel) const { return kFirstSum + square * tile_.channels + channel; }

  void start() {
    for (int c = 0; c < tile_.channels; ++c)
      emit("ldr ${}, [${}, #{}]", sum(0, c), kWeights, 4 * c);
    emit("add ${}, #{}", kWeights, 4 * tile_.channels);
    for (int i = 1; i < tile_.pixels; ++i)
      for (int c = 0; c < tile_.channels; ++c) emit("mov ${}, ${}", sum(i, c), sum(0, c));
  }

  // Ends with the test for another point.
  void store() {
    emit("ldr ${}, [sp, #{}]", end_, kSumsAt);
    for (int c = 0; c < tile_.channels; ++c)
      for (int i = 0; i < tile_.pixels; ++i)
        emit("str ${}, [${}, #{}]", sum(i, c), end_, 4 * (c * tile_.pixels + i));
    emit("ldr ${}, [sp, #{}]", kFirstSum, kSumsEndAt);
    emit("add ${}, #{}", end_, 4 * tile_.channels * tile_.pixels);
    emit("str ${}, [sp, #{}]", end_, kSumsAt);
    emit("cmp ${}, ${}", end_, kFirstSum);
  }

  const SmladTile& tile_;
  const SmladStep& step_;
  const int end_;
  std::string text_;
};

}  // namespace

bool SmladPoints::fits() const {
  return smlad_step_fits(tile_, inputs(), step_) && pairs_ % step_ == 0 &&
         tile_.weight_bytes(pairs_) <= kReach && sum_bytes() <= kReach;
}

IrText::Value SmladPoints::write(const Value& weights, const Value& inputs, const Value& sums,
                                 IrText& ir) const {
  const SmladStep step = smlad_step(tile_, this->inputs(), step_, loads_);
  const std::string text = Writer(tile_, step).write(tile_.weight_bytes(pairs_), sum_bytes());
  return ir.assembly(text, {weights, inputs, sums}, {}, kRegisters - 3)[0];
}

}  // namespace tinytune
