// A tile of pixels times all channels of a depthwise convolution, as one piece of assembly with
// RVV.
//
// Channels are lanes, in the input as well: a tap is one vector of weights and, for every pixel,
// one of inputs, which is widened to 16 bits and added to its sums of 32. Each pixel has a cursor
// that walks over the taps of its window and on to the next tile of channels. Weights are 16 bits
// in memory: there are few of them.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "templates/isa/rvv.h"
#include "templates/rvv/rvv_end.h"
#include "templates/rvv/rvv_weights.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

struct RvvDepthwiseShape {
  RvvLanes lanes;
  int pixels;
  bool shifts_left;
  int64_t row_bytes, tap_bytes;  ///< from a tap of a window to the one below, and to the next
};

class RvvDepthwiseTile {
 public:
  RvvDepthwiseTile(const Workload& w, const RvvDepthwiseShape& shape)
      : w_(w),
        shape_(shape),
        end_(w, shape.lanes, shape.shifts_left),
        weights_(shape.lanes, true, kWeightRegisters) {}

  bool fits() const {
    const int64_t lines =
        w_.reduction() * (4 * shape_.pixels + 4) + RvvEnd::most_lines(shape_.pixels);
    return shape_.pixels <= (Rvv::kRegisters - RvvEnd::kScratch) / shape_.lanes.words &&
           4 * lines <= Rvv::kJumpBytes && w_.out_c <= Rvv::kReach;
  }
  int64_t weight_bytes() const { return weights_.padded(w_.reduction()) * weights_.tap_bytes(); }
  int64_t loaded_weight_bytes() const { return weights_.loaded_bytes(w_.reduction(), w_.out_c); }
  const RvvEnd& end() const { return end_; }

  std::vector<PackedConstant> pack(const LayerData& data) const {
    return {weights_.pack(w_, data), end_.pack(data)};
  }

  /// Where the window of each pixel starts, and the first output byte.
  void write(const Values& windows, const Value& output, IrText& ir) const {
    Assembly code;
    Rvv isa(shape_.lanes, code);
    const int pixels = shape_.pixels;
    const Reg weights_at{pixels}, params{pixels + 1}, out{pixels + 2}, moved{pixels + 3};
    const RvvEnd::Operands at = RvvEnd::operands(params, out, moved + 1);
    Rvv::Groups sums;
    for (int p = 0; p < pixels; ++p) sums.push_back({RvvEnd::kScratch + p * shape_.lanes.words});
    end_.begin(at, isa);
    end_.start(sums, at, isa);
    isa.set_width(16);
    RvvWeights weights = weights_;
    for (int tap = 0; tap < w_.reduction(); ++tap) {
      const VectorReg factors = weights.next(weights_at, isa);
      for (int p = 0; p < pixels; ++p) multiply(sums[static_cast<size_t>(p)], Reg{p}, factors, isa);
      if (end_.tiles() > 1 || tap + 1 < w_.reduction()) move_cursors(tap, moved, isa);
    }
    end_.end(sums, at, isa);
    Values carried = windows;
    for (const Value& v : {argument("weights"), argument("params"), output}) carried.push_back(v);
    ir.assembly(code.text(), carried, {}, 1 + RvvEnd::kTemporaries);
  }

 private:
  static constexpr int kWeightRegisters = 4;

  void multiply(VectorReg sum, Reg cursor, VectorReg factors, Rvv& isa) const {
    // Two of them take turns where they are small.
    const RvvLanes& lanes = shape_.lanes;
    const int turn = lanes.words < 8 ? sum.number / lanes.words % 2 * 2 : 0;
    const VectorReg wide{kWeightRegisters + turn}, narrow = wide + lanes.registers(8);
    isa.load_in_place(narrow, 8, cursor);
    isa.widen(wide, narrow);
    isa.add_products(sum, wide, factors);
  }

  // To the next tap or, behind the last one, to the next channels' first.
  void move_cursors(int tap, Reg scratch, Rvv& isa) const {
    const auto offset = [&](int t) {
      return t / w_.kernel_w * shape_.row_bytes + t % w_.kernel_w * shape_.tap_bytes;
    };
    const int64_t next = tap + 1 == w_.reduction() ? shape_.lanes.count() : offset(tap + 1);
    std::vector<Reg> cursors;
    for (int p = 0; p < shape_.pixels; ++p) cursors.push_back({p});
    isa.move(cursors, next - offset(tap), scratch);
  }

  const Workload& w_;
  const RvvDepthwiseShape shape_;
  const RvvEnd end_;
  const RvvWeights weights_;
};

}  // namespace tinytune
