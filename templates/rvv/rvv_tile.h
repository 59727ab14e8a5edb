// A tile of pixels times all output channels, as one piece of assembly with RVV.
//
// Pixels stand one behind the other. Of a tile of channels, the lanes, `pixels` groups of sums are
// made at once: each tap loads an input of every pixel, a scalar, and one vector of weights that
// serves them all. v0 to v7 pass weights, the sums take the rest. The cursor stands in the middle
// pixel, since offsets reach as far back as forth.
//
// Or two taps' products are added in 16 bits first, which a pipe makes in half the cycles, and then
// to the sums, which another one does.
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

struct RvvShape {
  RvvLanes lanes;
  int pixels;
  int unroll;   ///< taps between tests of the loop
  bool halves;  ///< weights of 16 bits
  bool pairs;   ///< of taps' products, in 16 bits; weights are bytes
  bool shifts_left;
};

class RvvTile {
 public:
  RvvTile(const Workload& w, const RvvShape& shape)
      : w_(w),
        shape_(shape),
        end_(w, shape.lanes, shape.shifts_left),
        weights_(shape.lanes, shape.halves, RvvEnd::kScratch) {}

  int most_pixels() const {
    const int of_pixel = shape_.lanes.words + (shape_.pairs ? shape_.lanes.registers(16) : 0);
    return (Rvv::kRegisters - RvvEnd::kScratch) / of_pixel;
  }
  /// Whether sums, offsets and the loops' jumps suffice.
  bool fits() const {
    const int64_t taps =
        std::min<int64_t>(shape_.unroll, w_.reduction()) + w_.reduction() % shape_.unroll;
    const int64_t lines =
        taps * ((shape_.pairs ? 3 : 2) * shape_.pixels + 3) + RvvEnd::most_lines(shape_.pixels);
    if (4 * lines > Rvv::kJumpBytes || w_.out_c > Rvv::kReach) return false;
    const int64_t reach = std::max<int64_t>(middle(), shape_.pixels - 1 - middle()) * pixel_bytes();
    if (shape_.pairs && (w_.reduction() % 2 != 0 || weights_.held() == 1)) return false;
    return shape_.pixels <= most_pixels() && shape_.unroll % weights_.held() == 0 &&
           reach + shape_.unroll <= Rvv::kReach;
  }
  int64_t pixel_bytes() const { return w_.reduction(); }
  int64_t weight_bytes() const { return weights_.padded(w_.reduction()) * weights_.tap_bytes(); }
  int64_t loaded_weight_bytes() const { return weights_.loaded_bytes(w_.reduction(), w_.out_c); }
  const RvvEnd& end() const { return end_; }

  std::vector<PackedConstant> pack(const LayerData& data) const {
    return {weights_.pack(w_, data), end_.pack(data)};
  }

  /// Inputs of the first pixel and the first output byte are given.
  void write(const Value& inputs, const Value& output, IrText& ir) const {
    Assembly code;
    Rvv isa(shape_.lanes, code);
    const RvvEnd::Operands at = RvvEnd::operands(kParams, kOutput, kEnds);
    const Rvv::Groups sums = all_sums();
    const int64_t turns = w_.reduction() / shape_.unroll;
    if (middle() > 0) isa.add(kInputs, kInputs, middle() * pixel_bytes(), kCursor);
    if (turns > 1) isa.add(kTurnsEnd, kInputs, turns * shape_.unroll, kTurnsEnd);
    end_.begin(at, isa);
    end_.start(sums, at, isa);
    isa.set_width(16);
    code.emit("mv {}, {}", kCursor, kInputs);
    RvvWeights weights = weights_;
    if (turns > 1) code.emit("2:");
    if (turns > 0) write_taps(shape_.unroll, sums, weights, isa);
    if (turns > 1) code.emit("bne {}, {}, 2b", kCursor, kTurnsEnd);
    write_taps(w_.reduction() % shape_.unroll, sums, weights, isa);
    end_.end(sums, at, isa);
    ir.assembly(code.text(), {inputs, argument("weights"), argument("params"), output}, {},
                kScalarsFirst.number + kScalars - 4);
  }

 private:
  // Operands: what LLVM fills, then temporaries.
  static constexpr Reg kInputs{0}, kWeights{1}, kParams{2}, kOutput{3}, kCursor{4}, kTurnsEnd{5},
      kEnds{6}, kScalarsFirst{kEnds.number + RvvEnd::kTemporaries};
  static constexpr int kScalars = 10;  // inputs that are loaded ahead

  int middle() const { return shape_.pixels / 2; }
  Rvv::Groups all_sums() const {
    Rvv::Groups sums;
    for (int p = 0; p < shape_.pixels; ++p)
      sums.push_back({RvvEnd::kScratch + p * shape_.lanes.words});
    return sums;
  }

  // Of two taps' products, behind the sums.
  VectorReg pair_of(int pixel) const {
    const RvvLanes& lanes = shape_.lanes;
    return {RvvEnd::kScratch + shape_.pixels * lanes.words + pixel * lanes.registers(16)};
  }

  // `count` taps, and the cursor behind them.
  void write_taps(int64_t count, const Rvv::Groups& sums, RvvWeights& weights, Rvv& isa) const {
    if (count == 0) return;
    Registers pool(kScalarsFirst, kScalars);
    LoadScheduler loads(Rvv::kScalars, LoadOrder::kSpread, pool, isa.out());
    const int inputs = loads.add_stream(kCursor, count);
    std::vector<int> values;
    const int together = shape_.pairs ? 2 : 1;
    for (int64_t tap = 0; tap < count; ++tap)
      for (int p = 0; p < shape_.pixels; ++p)
        values.push_back(loads.queue({inputs, (p - middle()) * pixel_bytes() + tap}));
    loads.close_queue();
    auto value = values.begin();
    const auto with_input = [&](const auto& multiply) {
      loads.want(*value);
      const Reg input = loads.reg(*value++);
      multiply(input);
      pool.give_back(input);
      loads.computed();
    };
    for (int64_t tap = 0; tap < count; tap += together) {
      if (shape_.pairs) {
        write_pair(weights, with_input, isa);
        for (int p = 0; p < shape_.pixels; ++p)
          isa.add_wide(sums[static_cast<size_t>(p)], pair_of(p));
        continue;
      }
      const VectorReg factors = weights.next(kWeights, isa);
      for (const VectorReg sum : sums)
        with_input([&](Reg input) { isa.add_products(sum, input, factors); });
    }
    loads.finish();
  }
  template <typename WithInput>
  void write_pair(RvvWeights& weights, const WithInput& with_input, Rvv& isa) const {
    const VectorReg first = weights.next_as_packed(kWeights, isa);
    const VectorReg second = weights.next_as_packed(kWeights, isa);
    isa.set_width(8);
    for (int p = 0; p < shape_.pixels; ++p)
      with_input([&](Reg input) { isa.multiply_bytes(pair_of(p), input, first); });
    for (int p = 0; p < shape_.pixels; ++p)
      with_input([&](Reg input) { isa.add_bytes(pair_of(p), input, second); });
    isa.set_width(16);
  }

  const Workload& w_;
  const RvvShape shape_;
  const RvvEnd end_;
  const RvvWeights weights_;
};

}  // namespace tinytune
