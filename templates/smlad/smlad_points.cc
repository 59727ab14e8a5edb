#include "templates/smlad/smlad_points.h"

#include <string>

#include "templates/isa/thumb2_dsp.h"

namespace tinytune {
namespace {

constexpr Reg kWeights{0}, kInputs{1}, kFirstSum{SmladStep::kCursors};
// The frame, in bytes from the stack pointer: where a step looks for the end of its loop, where the
// next sums go, and where the last ones end.
constexpr int kEndAt = 0, kSumsAt = 4, kSumsEndAt = 8, kFrame = 16;

class Writer {
 public:
  Writer(const SmladTile& tile, const SmladStep& step)
      : tile_(tile), step_(step), end_(kFirstSum + tile.channels * tile.pixels) {}

  // At the start the first sum holds where sums go.
  std::string write(int64_t point_bytes, int64_t sum_bytes) {
    code_.emit("sub sp, #{}", kFrame);
    isa_.store(kFirstSum, kSumsAt);
    isa_.add(kFirstSum, kFirstSum, sum_bytes);
    isa_.store(kFirstSum, kSumsEndAt);
    code_.emit("1:");
    start();
    isa_.add(end_, kWeights, point_bytes);
    if (step_.end_on_stack) isa_.store(end_, kEndAt);
    code_.emit(".p2align 2");
    code_.emit("2:");
    code_.append(step_.code);
    isa_.repeat_until(kWeights, end_, 2);
    store();
    code_.emit("bne 1b");
    code_.emit("add sp, #{}", kFrame);
    return code_.text();
  }

 private:
  Reg sum(int square, int channel) const { return kFirstSum + (square * tile_.channels + channel); }

  void start() {
    for (int c = 0; c < tile_.channels; ++c)
      code_.emit("ldr {}, [{}, #{}]", sum(0, c), kWeights, 4 * c);
    code_.emit("add {}, #{}", kWeights, 4 * tile_.channels);
    for (int i = 1; i < tile_.pixels; ++i)
      for (int c = 0; c < tile_.channels; ++c) code_.emit("mov {}, {}", sum(i, c), sum(0, c));
  }

  // Ends with the test for another point.
  void store() {
    isa_.load(end_, kSumsAt);
    for (int c = 0; c < tile_.channels; ++c)
      for (int i = 0; i < tile_.pixels; ++i)
        code_.emit("str {}, [{}, #{}]", sum(i, c), end_, 4 * (c * tile_.pixels + i));
    isa_.load(kFirstSum, kSumsEndAt);
    code_.emit("add {}, #{}", end_, 4 * tile_.channels * tile_.pixels);
    isa_.store(end_, kSumsAt);
    code_.emit("cmp {}, {}", end_, kFirstSum);
  }

  const SmladTile& tile_;
  const SmladStep& step_;
  const Reg end_;
  Assembly code_;
  Thumb2Dsp isa_{code_};
};

}  // namespace

bool SmladPoints::fits() const {
  return smlad_step_fits(tile_, inputs(), step_) && pairs_ % step_ == 0 &&
         tile_.weight_bytes(pairs_) <= Thumb2Dsp::kReach && sum_bytes() <= Thumb2Dsp::kReach;
}

IrText::Value SmladPoints::write(const Value& weights, const Value& inputs, const Value& sums,
                                 IrText& ir) const {
  const SmladStep step = smlad_step(tile_, this->inputs(), step_, loads_);
  const std::string text = Writer(tile_, step).write(tile_.weight_bytes(pairs_), sum_bytes());
  return ir.assembly(text, {weights, inputs, sums}, {}, Thumb2Dsp::kRegisters - 3)[0];
}

}  // namespace tinytune
