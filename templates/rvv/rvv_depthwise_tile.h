// A tile of pixels times all channels of a depthwise convolution, as one piece of assembly with
// RVV.
//
// Channels are lanes, of the inputs as well: a tap is one vector of weights and, for every pixel,
// one vector of inputs, which is widened to 16 bits and whose products are added to 32-bit sums.
// Each pixel has a cursor that walks over the taps of its window and on to the next tile of
// channels. Weights are 16 bits in memory, because there are few of them.
//
// Alternatively, the products of two taps are added as 16 bits first (rvv_weights.h), which needs
// no widening: inputs of all pixels are loaded, then multiplied, so that no product waits for its
// own load. Loads stall the core; those of the second tap overlap the first one's products.
#pragma once

#include <algorithm>
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
  bool pairs;  ///< adds the products of two taps in 16 bits first
  bool shifts_left;
  int64_t row_bytes, tap_bytes;  ///< from a tap of a window to the one below, and to the next
  bool staged;                   ///< windows are staged, or read in place if inside the input
};

class RvvDepthwiseTile {
 public:
  RvvDepthwiseTile(const Workload& w, const RvvDepthwiseShape& shape)
      : w_(w),
        shape_(shape),
        end_(w, shape.lanes, shape.shifts_left),
        weights_(shape.lanes, !shape.pairs, (shape.pairs ? 2 : 1) * kWeightRegisters) {}

  bool fits() const {
    const int64_t lines =
        w_.reduction() * (4 * shape_.pixels + 4) + RvvEnd::most_lines(shape_.pixels);
    const RvvLanes& lanes = shape_.lanes;
    const int of_pixel =
        lanes.words + (shape_.pairs ? lanes.registers(16) + 2 * lanes.registers(8) : 0);
    if (shape_.pairs && weights_.held() == 1) return false;
    return shape_.pixels <= (Rvv::kRegisters - RvvEnd::kScratch) / of_pixel &&
           4 * lines <= Rvv::kJumpBytes && w_.out_c <= Rvv::kReach;
  }
  int64_t weight_bytes() const { return weights_.padded(w_.reduction()) * weights_.tap_bytes(); }
  double loaded_weight_bytes() const { return weights_.loaded_bytes(w_.reduction(), w_.out_c); }
  const RvvEnd& end() const { return end_; }

  std::vector<PackedConstant> pack(const LayerData& data) const {
    return {weights_.pack(w_, data), end_.pack(data)};
  }

  /// Returns the distances from a row's last tap to the next row's first, and from a window's last
  /// tap to the next channels' first, for rows that are `row_bytes` apart.
  Values jumps(int64_t row_bytes) const {
    const int64_t row = (w_.kernel_w - 1) * shape_.tap_bytes;
    return {Value(row_bytes - row),
            Value(shape_.lanes.count() - (w_.kernel_h - 1) * row_bytes - row)};
  }

  /// `windows`: the start of each pixel's window; if shape.staged, then their jumps(). `output`:
  /// the first output byte.
  void write(const Values& windows, const Value& output, IrText& ir) const {
    Assembly code;
    Rvv isa(shape_.lanes, code);
    const int pixels = shape_.pixels;
    const Reg weights_at{pixels}, params{pixels + 1}, out{pixels + 2},
        moved{pixels + 3 + (shape_.staged ? 2 : 0)};
    const RvvEnd::Operands at = RvvEnd::operands(params, out, moved + 1);
    Rvv::Groups sums;
    for (int p = 0; p < pixels; ++p) sums.push_back({RvvEnd::kScratch + p * shape_.lanes.words});
    end_.begin(at, isa);
    end_.start(sums, at, isa);
    isa.set_width(16);
    RvvWeights weights = weights_;
    for (int tap = 0; shape_.pairs && tap < w_.reduction(); tap += 2)
      write_pair(tap, sums, weights, weights_at, moved, isa);
    for (int tap = 0; !shape_.pairs && tap < w_.reduction(); ++tap) {
      const VectorReg factors = weights.next(weights_at, isa);
      for (int p = 0; p < pixels; ++p) multiply(sums[static_cast<size_t>(p)], Reg{p}, factors, isa);
      move_cursors(tap, moved, isa);
    }
    end_.end(sums, at, isa);
    Values carried = windows;
    carried.insert(carried.begin() + pixels, {argument("weights"), argument("params"), output});
    ir.assembly(code.text(), carried, {}, 1 + RvvEnd::kTemporaries);
  }

 private:
  static constexpr int kWeightRegisters = 4;

  void multiply(VectorReg sum, Reg cursor, VectorReg factors, Rvv& isa) const {
    // Two groups of registers take turns if they are small.
    const RvvLanes& lanes = shape_.lanes;
    const int turn = lanes.words < 8 ? sum.number / lanes.words % 2 * 2 : 0;
    const VectorReg wide{kWeightRegisters + turn}, narrow = wide + lanes.registers(8);
    isa.load_in_place(narrow, 8, cursor);
    isa.widen(wide, narrow);
    isa.add_products(sum, wide, factors);
  }

  // Writes two taps, or the last one.
  void write_pair(int tap, const Rvv::Groups& sums, RvvWeights& weights, Reg weights_at, Reg moved,
                  Rvv& isa) const {
    const RvvLanes& lanes = shape_.lanes;
    const int pixels = shape_.pixels, pairs_at = RvvEnd::kScratch + pixels * lanes.words,
              inputs_at = pairs_at + pixels * lanes.registers(16);
    const auto count = static_cast<int>(std::min<int64_t>(2, w_.reduction() - tap));
    const auto input = [&](int which, int p) {
      return VectorReg{inputs_at + (which * pixels + p) * lanes.registers(8)};
    };
    const auto pair = [&](int p) { return VectorReg{pairs_at + p * lanes.registers(16)}; };
    for (int i = 0; i < count; ++i) {
      for (int p = 0; p < pixels; ++p) isa.load_in_place(input(i, p), 8, Reg{p});
      move_cursors(tap + i, moved, isa);
      const VectorReg factors = weights.next_as_packed(weights_at, isa);
      if (i == 0) isa.set_width(8);
      for (int p = 0; p < pixels; ++p)
        i == 0 ? isa.multiply_bytes(pair(p), input(i, p), factors)
               : isa.add_bytes(pair(p), input(i, p), factors);
    }
    isa.set_width(16);
    for (int p = 0; p < pixels; ++p) isa.add_wide(sums[static_cast<size_t>(p)], pair(p));
  }

  // Moves cursors to the next tap or, after the last one, to the next channels' first, if any.
  void move_cursors(int tap, Reg scratch, Rvv& isa) const {
    if (end_.tiles() == 1 && tap + 1 == w_.reduction()) return;
    const auto offset = [&](int t) {
      return t / w_.kernel_w * shape_.row_bytes + t % w_.kernel_w * shape_.tap_bytes;
    };
    const int64_t next = tap + 1 == w_.reduction() ? shape_.lanes.count() : offset(tap + 1);
    std::vector<Reg> cursors;
    for (int p = 0; p < shape_.pixels; ++p) cursors.push_back({p});
    if (shape_.staged && (tap + 1) % w_.kernel_w == 0) {
      const Reg jump{shape_.pixels + 3 + (tap + 1 == w_.reduction() ? 1 : 0)};
      for (const Reg cursor : cursors) isa.out().emit("add {0}, {0}, {1}", cursor, jump);
      return;
    }
    isa.move(cursors, next - offset(tap), scratch);
  }

  const Workload& w_;
  const RvvDepthwiseShape shape_;
  const RvvEnd end_;
  const RvvWeights weights_;
};

}  // namespace tinytune
