#include "templates/smlad/smlad_sums.h"

#include <string>

namespace tinytune {
namespace {

// The frame of sums, in bytes from the stack pointer: where a step looks for the end of its loop,
// and where the tile's weights end.
constexpr int kEndAt = 0, kTileEndAt = 4;
// Of points behind it: where the next sums go, and where the last ones end.
constexpr int kSumsAt = 8, kSumsEndAt = 12, kPointsFrame = 16;

}  // namespace

void SmladSums::write(bool neighbours) const {
  const auto& [tile, inputs, runs, loads, scaled] = shape_;
  Thumb2Dsp isa(out_);
  std::string list;
  for (int c = 0; c < tile.channels; ++c) {
    list += fmt::format("{}{}", c ? ", " : "", sum(0, c));
    if (!neighbours) out_.emit("ldr {}, [{}, #{}]", sum(0, c), kWeights, 4 * c);
  }
  if (!neighbours)
    out_.emit("add {}, #{}", kWeights, 4 * tile.channels);
  else if (tile.channels == 1)
    out_.emit("ldr {}, [{}], #4", list, kWeights);
  else
    out_.emit("ldm {}!, {{{}}}", kWeights, list);
  isa.add(end(), kWeights, runs.count * tile.weight_bytes(runs.pairs));
  for (int i = 1; i < tile.pixels; ++i)
    for (int c = 0; c < tile.channels; ++c) out_.emit("mov {}, {}", sum(i, c), sum(0, c));
  if (runs.count > 1) {
    isa.store(end(), kTileEndAt);
    out_.emit("2:");
    isa.add(end(), kWeights, tile.weight_bytes(runs.pairs));
  }
  if (step_.end_on_stack) isa.store(end(), kEndAt);
  out_.emit(".p2align 2");
  out_.emit("3:");
  out_.append(step_.code);
  isa.repeat_until(kWeights, end(), 3);
  if (runs.count == 1) return;
  isa.load(end(), kTileEndAt);
  if (runs.gap_bytes != 0) out_.emit("addw {0}, {0}, #{1}", kInputs, runs.gap_bytes);
  isa.repeat_until(kWeights, end(), 2);
}

bool SmladPoints::fits() const {
  const auto& [tile, inputs, runs, loads, scaled] = shape_;
  return smlad_step_fits(tile, inputs, runs.step) && runs.pairs % runs.step == 0 &&
         tile.weight_bytes(runs.pairs) <= Thumb2Dsp::kReach && sum_bytes() <= Thumb2Dsp::kReach;
}

void SmladPoints::write(const Value& weights, const Value& inputs, const Value& sums,
                        IrText& ir) const {
  Assembly code;
  Thumb2Dsp isa(code);
  const SmladSums point(shape_, code);
  code.emit("sub sp, #{}", kPointsFrame);
  isa.store(point.kFirst, kSumsAt);
  isa.add(point.kFirst, point.kFirst, sum_bytes());
  isa.store(point.kFirst, kSumsEndAt);
  code.emit("1:");
  point.write(false);
  const Reg to = point.end();
  isa.load(to, kSumsAt);
  for (int c = 0, at = 0; c < shape_.tile.channels; ++c)
    for (int i = 0; i < shape_.tile.pixels; ++i, at += 4)
      code.emit("str {}, [{}, #{}]", point.sum(i, c), to, at);
  isa.load(point.kFirst, kSumsEndAt);
  code.emit("add {}, #{}", to, 4 * this->sums());
  isa.store(to, kSumsAt);
  isa.repeat_until(to, point.kFirst, 1);
  code.emit("add sp, #{}", kPointsFrame);
  ir.assembly(code.text(), {weights, inputs, sums}, {}, Thumb2Dsp::kRegisters - 3);
}

}  // namespace tinytune
