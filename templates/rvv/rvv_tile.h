// A tile of pixels times all output channels, as one piece of assembly with RVV.
//
// Pixels are contiguous. For a tile of channels, the lanes, `pixels` groups of sums are computed at
// once: each tap loads an input of every pixel, a scalar, and one vector of weights for all of
// them. Weights pass through v0 to v7; the sums take the other registers. The cursor is in the
// middle pixel, since offsets reach as far back as forward.
//
// Alternatively, the products of two taps are added in 16 bits first, which one pipe does in half
// the cycles, and then to the sums, which another pipe does. Late pairs are added to the sums while
// the next ones are multiplied: the unit dispatches in order, so an addition that waits for its
// pair or its pipe would stall the products after it as well.
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
  bool halves;  ///< weights have 16 bits
  bool pairs;   ///< adds the products of two taps in 16 bits first; weights are bytes
  bool late;    ///< adds such pairs to sums one pair later
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
    const RvvLanes& lanes = shape_.lanes;
    constexpr int kFree = Rvv::kRegisters - RvvEnd::kScratch;
    if (!shape_.pairs) return kFree / lanes.words;
    if (!shape_.late) return kFree / (lanes.words + lanes.registers(16));
    // There is one pair more than pixels; some are below the sums.
    const int low = (RvvEnd::kScratch - kFirstPair) / lanes.registers(16) - 1;
    return (kFree + low * lanes.registers(16)) / (lanes.words + lanes.registers(16));
  }
  /// Returns whether registers suffice for sums, and offsets and the loops' branches reach.
  bool fits() const {
    const int64_t taps =
        std::min<int64_t>(shape_.unroll, w_.reduction()) + w_.reduction() % shape_.unroll;
    const int64_t lines = taps * ((shape_.late    ? 4
                                   : shape_.pairs ? 3
                                                  : 2) *
                                      shape_.pixels +
                                  3) +
                          RvvEnd::most_lines(shape_.pixels);
    if (4 * lines > Rvv::kJumpBytes || w_.out_c > Rvv::kReach) return false;
    const int64_t reach = std::max<int64_t>(middle(), shape_.pixels - 1 - middle()) * pixel_bytes();
    if (shape_.pairs && (w_.reduction() % 2 != 0 || weights_.held() == 1)) return false;
    return shape_.pixels <= most_pixels() && shape_.unroll % weights_.held() == 0 &&
           reach + shape_.unroll <= Rvv::kReach;
  }
  int64_t pixel_bytes() const { return w_.reduction(); }
  int64_t weight_bytes() const { return weights_.padded(w_.reduction()) * weights_.tap_bytes(); }
  double loaded_weight_bytes() const { return weights_.loaded_bytes(w_.reduction(), w_.out_c); }
  const RvvEnd& end() const { return end_; }

  std::vector<PackedConstant> pack(const LayerData& data) const {
    return {weights_.pack(w_, data), end_.pack(data)};
  }

  /// `inputs`: of the first pixel; `output`: the first output byte.
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
  // Operands: those that LLVM passes, then temporaries.
  static constexpr Reg kInputs{0}, kWeights{1}, kParams{2}, kOutput{3}, kCursor{4}, kTurnsEnd{5},
      kEnds{6}, kScalarsFirst{kEnds.number + RvvEnd::kTemporaries};
  static constexpr int kScalars = 10;                      // inputs that are loaded ahead
  static constexpr int kFirstPair = RvvEnd::kScratch / 2;  // after weights that are not widened

  int middle() const { return shape_.pixels / 2; }
  Rvv::Groups all_sums() const {
    Rvv::Groups sums;
    for (int p = 0; p < shape_.pixels; ++p)
      sums.push_back({RvvEnd::kScratch + p * shape_.lanes.words});
    return sums;
  }

  // Returns the registers of a pair of products, after the sums. Late pairs take turns, also in
  // registers below the sums.
  VectorReg pair_of(int pixel) const {
    return {RvvEnd::kScratch + shape_.pixels * shape_.lanes.words +
            pixel * shape_.lanes.registers(16)};
  }
  VectorReg late_pair(int64_t number) const {
    const int registers = shape_.lanes.registers(16);
    const int low = (RvvEnd::kScratch - kFirstPair) / registers;
    const auto turn = static_cast<int>(number % (shape_.pixels + 1));
    return turn < low ? VectorReg{kFirstPair + turn * registers} : pair_of(turn - low);
  }

  // A product's tap and pixel, and the operation.
  struct Step {
    enum Kind { kMultiply, kAdd, kAddPair } kind;
    int64_t tap;
    int pixel;
  };

  // Returns the steps of `count` taps in the order of the code.
  std::vector<Step> steps(int64_t count) const {
    std::vector<Step> steps;
    const auto all_pixels = [&](Step::Kind kind, int64_t tap) {
      for (int p = 0; p < shape_.pixels; ++p) steps.push_back({kind, tap, p});
    };
    if (!shape_.pairs)
      for (int64_t tap = 0; tap < count; ++tap) all_pixels(Step::kAdd, tap);
    for (int64_t tap = 0; shape_.pairs && tap < count; tap += 2) {
      if (shape_.late) {
        add_late_pairs(tap, steps);
        continue;
      }
      all_pixels(Step::kMultiply, tap);
      all_pixels(Step::kAdd, tap + 1);
      all_pixels(Step::kAddPair, tap);
    }
    if (shape_.late) all_pixels(Step::kAddPair, count - 2);
    return steps;
  }
  // A pixel's second product comes some pixels after its first, on which it depends.
  void add_late_pairs(int64_t tap, std::vector<Step>& steps) const {
    const int behind = std::max(1, shape_.pixels / 2);
    for (int p = 0; p < shape_.pixels + behind; ++p) {
      if (p < shape_.pixels) steps.push_back({Step::kMultiply, tap, p});
      if (p >= behind) steps.push_back({Step::kAdd, tap + 1, p - behind});
      if (p < shape_.pixels && tap > 0) steps.push_back({Step::kAddPair, tap - 2, p});
    }
  }

  // Writes `count` taps, and moves the cursor past them.
  void write_taps(int64_t count, const Rvv::Groups& sums, RvvWeights& weights, Rvv& isa) const {
    if (count == 0) return;
    Registers pool(kScalarsFirst, kScalars);
    LoadScheduler loads(Rvv::kScalars, LoadOrder::kSpread, pool, isa.out());
    const int inputs = loads.add_stream(kCursor, count);
    const std::vector<Step> all = steps(count);
    std::vector<int> values;
    for (const Step& step : all)
      if (step.kind != Step::kAddPair)
        values.push_back(loads.queue({inputs, (step.pixel - middle()) * pixel_bytes() + step.tap}));
    loads.close_queue();
    auto value = values.begin();
    const auto with_input = [&](const auto& multiply) {
      loads.want(*value);
      const Reg input = loads.reg(*value++);
      multiply(input);
      pool.give_back(input);
      loads.computed();
    };
    int width = 16;
    const auto set_width = [&](int bits) {
      if (bits != width) isa.set_width(bits);
      width = bits;
    };
    std::vector<VectorReg> factors;  // of each tap
    const auto factors_of = [&](int64_t tap) {
      while (factors.size() <= static_cast<size_t>(tap))
        factors.push_back(shape_.pairs ? weights.next_as_packed(kWeights, isa)
                                       : weights.next(kWeights, isa));
      return factors[static_cast<size_t>(tap)];
    };
    for (const Step& step : all) {
      const VectorReg sum = sums[static_cast<size_t>(step.pixel)];
      const VectorReg pair =
          shape_.late ? late_pair(step.tap / 2 * shape_.pixels + step.pixel) : pair_of(step.pixel);
      if (step.kind == Step::kAddPair) {
        set_width(16);
        isa.add_wide(sum, pair);
        continue;
      }
      // Loads the weights of both taps of a pair at once, because a load stalls the core.
      const int64_t last = shape_.pairs ? step.tap | 1 : step.tap;
      factors_of(last);
      const VectorReg factor = factors_of(step.tap);
      set_width(shape_.pairs ? 8 : 16);
      with_input([&](Reg input) {
        if (step.kind == Step::kMultiply)
          isa.multiply_bytes(pair, input, factor);
        else
          shape_.pairs ? isa.add_bytes(pair, input, factor) : isa.add_products(sum, input, factor);
      });
    }
    set_width(16);
    loads.finish();
  }

  const Workload& w_;
  const RvvShape shape_;
  const RvvEnd end_;
  const RvvWeights weights_;
};

}  // namespace tinytune
