// The sums of a tile of channels by pixels, in assembly: what they start from, and all products.
//
// The inner loop is assembly, because what it gains hangs on registers: a tile takes all fourteen,
// and one that LLVM spills costs more than a product (smlad_step.h). What sums start from stands
// before the tile's weights, and once it is loaded the cursor of weights is where products begin.
// What becomes of the sums is the caller's: a tile requantises them (smlad_tiles.h), each point of
// a Winograd kernel stores them as they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "templates/channel_params.h"
#include "templates/isa/thumb2_dsp.h"
#include "templates/smlad/smlad_step.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

/// What a tile multiplies: runs of neighbouring pairs, whole steps of them.
struct SmladRuns {
  int64_t count = 1;
  int64_t pairs;          ///< of each
  int step;               ///< pairs between tests
  int64_t gap_bytes = 0;  ///< of inputs, from the end of a run to the start of the next
};

struct SmladShape {
  SmladTile tile;
  SmladInputs inputs;
  SmladRuns runs;
  LoadOrder loads;
  Scaled scaled = Scaled::kByChannel;
  int right = 0;  ///< shift of the requantisation, in the code (fuse_into_weights()); 0: it is read

  /// Of weights and what sums start from, from a tile to the next.
  int64_t tile_bytes() const {
    return int64_t{4} * tile.channels + runs.count * tile.weight_bytes(runs.pairs);
  }
  /// Whether one step is all: there is no loop.
  bool is_one_step() const { return runs.count == 1 && runs.pairs == runs.step; }
};

class SmladSums {
 public:
  static constexpr Reg kWeights{0}, kInputs{1}, kFirst{SmladStep::kCursors};
  static constexpr int kFrame = 8;  ///< bytes at the stack pointer that it needs

  SmladSums(const SmladShape& shape, Assembly& out)
      : shape_(shape),
        step_(smlad_step(shape.tile, shape.inputs, shape.runs.step, shape.loads,
                         shape.is_one_step())),
        out_(out) {}

  /// Leaves the cursor of weights at the next tile's. Takes the labels 2 and 3. `neighbours`: the
  /// operands are registers in their order, which is what LDM loads.
  void write(bool neighbours) const {
    const auto& [tile, inputs, runs, loads, scaled, right] = shape_;
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
    if (!shape_.is_one_step()) isa.add(end(), kWeights, runs.count * tile.weight_bytes(runs.pairs));
    for (int i = 1; i < tile.pixels && !shape_.is_one_step(); ++i)
      for (int c = 0; c < tile.channels; ++c) out_.emit("mov {}, {}", sum(i, c), sum(0, c));
    if (shape_.is_one_step()) return out_.append(step_.code);
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

  Reg sum(int pixel, int channel) const {
    return kFirst + (pixel * shape_.tile.channels + channel);
  }
  /// Behind the sums: like the registers after it, free once they are complete.
  Reg end() const { return sum(shape_.tile.pixels, 0); }

 private:
  // The frame, in bytes from the stack pointer: where a step looks for the end of its loop, and
  // where the tile's weights end.
  static constexpr int kEndAt = 0, kTileEndAt = 4;

  const SmladShape& shape_;
  const SmladStep step_;
  Assembly& out_;
};

/// The matrix products of a Winograd kernel. Each point is a product of its own: weights
/// [pair][channel] with inputs [pair][square]. Both arrays are read from front to back over all
/// points, so that two cursors do for everything; where the sums go waits on the stack.
class SmladPoints {
 public:
  /// `tile`: channels by squares, its weights as pairs. `step`: pairs between tests of the loop, a
  /// divisor of `pairs`.
  SmladPoints(const SmladTile& tile, int points, int64_t pairs, int step, LoadOrder loads)
      : shape_{tile,
               {int64_t{4} * tile.pixels, 4, int64_t{4} * tile.pixels * step},
               {.pairs = pairs, .step = step},
               loads},
        points_(points) {}

  bool fits() const {
    const auto& [tile, inputs, runs, loads, scaled, right] = shape_;
    return smlad_step_fits(tile, inputs, runs.step) && runs.pairs % runs.step == 0 &&
           tile.weight_bytes(runs.pairs) <= Thumb2Dsp::kReach && sum_bytes() <= Thumb2Dsp::kReach;
  }

  /// Of a block of channels, with what sums start from.
  int64_t weight_bytes() const { return points_ * shape_.tile_bytes(); }
  int64_t sum_bytes() const { return points_ * int64_t{4} * sums(); }

  /// Stores the sums of all points to `sums`, [point][channel][square].
  void write(const Value& weights, const Value& inputs, const Value& sums, IrText& ir) const {
    Assembly code;
    Thumb2Dsp isa(code);
    const SmladSums point(shape_, code);
    code.emit("sub sp, #{}", kPointsFrame);
    isa.store(point.kFirst, kSumsAt);
    isa.add(point.kFirst, point.kFirst, sum_bytes());
    isa.store(point.kFirst, kSumsEndAt);
    code.emit("1:");
    // Where instructions are counted, by as few as there are.
    const bool few = shape_.loads == LoadOrder::kPaired;
    point.write(few);
    const Reg to = point.end();
    isa.load(to, kSumsAt);
    std::vector<Reg> stored;
    for (int c = 0; c < shape_.tile.channels; ++c)
      for (int i = 0; i < shape_.tile.pixels; ++i) stored.push_back(point.sum(i, c));
    for (size_t s = 0; s < stored.size(); ++s) {
      if (few && s + 1 < stored.size()) {
        code.emit("strd {}, {}, [{}, #{}]", stored[s], stored[s + 1], to, 4 * s);
        ++s;
      } else {
        code.emit("str {}, [{}, #{}]", stored[s], to, 4 * s);
      }
    }
    isa.load(point.kFirst, kSumsEndAt);
    code.emit("add {}, #{}", to, 4 * this->sums());
    isa.store(to, kSumsAt);
    isa.repeat_until(to, point.kFirst, 1);
    code.emit("add sp, #{}", kPointsFrame);
    if (few)
      ir.assembly_of_all_registers(code.text(), {weights, inputs, sums});
    else
      ir.assembly(code.text(), {weights, inputs, sums}, {}, Thumb2Dsp::kRegisters - 3);
  }

 private:
  // The frame behind that of sums: where the next ones go, and where the last ones end.
  static constexpr int kSumsAt = SmladSums::kFrame, kSumsEndAt = 12, kPointsFrame = 16;

  int sums() const { return shape_.tile.channels * shape_.tile.pixels; }

  const SmladShape shape_;
  const int points_;
};

}  // namespace tinytune
