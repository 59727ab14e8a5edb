// The sums of a tile of channels by pixels, in assembly: their start values and all products.
//
// The inner loop is assembly, because its speed depends on registers: a tile takes all fourteen,
// and one that LLVM spills costs more than a product (smlad_step.h). The sums' start values precede
// the tile's weights, so loading them moves the cursor of weights to the first product. The caller
// decides what to do with the sums: a tile requantises them (smlad_tiles.h), each point of a
// Winograd kernel stores them as they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "templates/channel_params.h"
#include "templates/isa/thumb2_dsp.h"
#include "templates/smlad/smlad_step.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

/// The pairs that a tile multiplies: runs of contiguous pairs, each of whole steps.
struct SmladRuns {
  int64_t count = 1;
  int64_t pairs;          ///< pairs per run
  int step;               ///< pairs between tests of the loop
  int64_t gap_bytes = 0;  ///< bytes of inputs between two runs
};

struct SmladShape {
  SmladTile tile;
  SmladInputs inputs;
  SmladRuns runs;
  LoadOrder loads;
  Scaled scaled = Scaled::kByChannel;
  int right = 0;  ///< right shift as a constant of the code (fuse_into_weights()); 0: it is read

  /// Returns the bytes of weights and of the sums' start values per tile.
  int64_t tile_bytes() const {
    return int64_t{4} * tile.channels + runs.count * tile.weight_bytes(runs.pairs);
  }
  /// Returns whether there is a single step, and so no loop.
  bool is_one_step() const { return runs.count == 1 && runs.pairs == runs.step; }
};

class SmladSums {
 public:
  static constexpr Reg kWeights{0}, kInputs{1}, kFirst{SmladStep::kCursors};
  static constexpr int kFrame = 8;  ///< bytes needed at the stack pointer

  SmladSums(const SmladShape& shape, Assembly& out)
      : shape_(shape),
        step_(smlad_step(shape.tile, shape.inputs, shape.runs.step, shape.loads,
                         shape.is_one_step())),
        out_(out) {}

  /// Writes the sums. Leaves the cursor of weights at those of the next tile. Uses the labels 2 and
  /// 3. `neighbours`: operands are consecutive registers, which LDM needs.
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
  /// The register after the sums. It and those after it are free once the sums are complete.
  Reg end() const { return sum(shape_.tile.pixels, 0); }

 private:
  // The frame, in bytes from the stack pointer: the end of a step's loop, and the end of the tile's
  // weights.
  static constexpr int kEndAt = 0, kTileEndAt = 4;

  const SmladShape& shape_;
  const SmladStep step_;
  Assembly& out_;
};

/// The matrix products of a Winograd kernel. Each point is a separate product: weights
/// [pair][channel] with inputs [pair][square]. Both arrays are read front to back over all points,
/// so that two cursors suffice; the address for the sums is on the stack.
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

  /// Returns the bytes of weights and of the sums' start values per block of channels.
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
    // Paired loads are for timing models that count instructions: use as few as possible.
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
  // The frame after that of SmladSums: the address of the next sums, and the end of all sums.
  static constexpr int kSumsAt = SmladSums::kFrame, kSumsEndAt = 12, kPointsFrame = 16;

  int sums() const { return shape_.tile.channels * shape_.tile.pixels; }

  const SmladShape shape_;
  const int points_;
};

}  // namespace tinytune
