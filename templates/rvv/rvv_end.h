// The epilogue with RVV, from sums in lanes to stored bytes, and the parameters that it reads.
//
// The parameters of a tile of channels, in the order of reading: start values of sums, (left
// shifts,) multipliers, (a mask of the lanes that shift right,) all in words, and right shifts of
// 16 bits. Lanes beyond the last channel have 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/requantise.h"
#include "schedules/workload.h"
#include "templates/channel_params.h"
#include "templates/isa/rvv.h"
#include "templates/lane_shifts.h"
#include "templates/packing.h"

namespace tinytune {

class RvvEnd {
 public:
  /// Clobbers vector registers below this one; sums are above.
  static constexpr int kScratch = 8;

  /// `shifts_left`: some channels shift left before the multiplication; else all shift right only.
  RvvEnd(const Workload& w, const RvvLanes& lanes, bool shifts_left)
      : w_(w), lanes_(lanes), shifts_left_(shifts_left) {}

  /// Returns the most instructions that this adds to a turn of the loop over tiles, with its start.
  static int most_lines(int pixels) { return 24 + 12 * pixels; }
  int tiles() const { return lanes_.tiles(w_.out_c); }
  /// Returns the words of parameters per channel, rounded up: for the cost model.
  int words() const { return shifts_left_ ? 4 : 3; }

  PackedConstant pack(const LayerData& data) const {
    std::vector<int32_t> params;
    for (int first = 0; first < w_.out_c; first += lanes_.count()) pack_tile(data, first, params);
    return words_constant("params", params);
  }

  /// Core registers. `params` and `output` advance from tile to tile.
  struct Operands {
    Reg params, output, left;
    Reg length, zero_point, low, high, address;
  };
  static constexpr int kTemporaries = 6;  ///< registers from `left` on
  static Operands operands(Reg params, Reg output, Reg first) {
    return {params, output, first, first + 1, first + 2, first + 3, first + 4, first + 5};
  }

  /// Writes the code before the loop over tiles.
  void begin(const Operands& at, Rvv& isa) const {
    isa.set_rounding();
    isa.out().emit("li {}, {}", at.left, w_.out_c);
    isa.out().emit("li {}, {}", at.length, std::min(w_.out_c, lanes_.count()));
    isa.out().emit("li {}, {}", at.zero_point, w_.output_zero_point);
    if (w_.activation_min > INT8_MIN) isa.out().emit("li {}, {}", at.low, w_.activation_min);
    if (w_.activation_max < INT8_MAX) isa.out().emit("li {}, {}", at.high, w_.activation_max);
    if (tiles() > 1) isa.out().emit("1:");
  }
  /// Loads the sums' start values. Limits vectors to the channels that are left, because memory may
  /// end after those of the last pixel.
  void start(const Rvv::Groups& sums, const Operands& at, Rvv& isa) const {
    Reg length = at.length;
    if (tiles() > 1 && w_.out_c % lanes_.count() != 0) {
      length = at.address;
      isa.out().emit("mv {}, {}", length, at.left);
      isa.out().emit("bltu {}, {}, 3f", at.left, at.length);
      isa.out().emit("mv {}, {}", length, at.length);
      isa.out().emit("3:");
    }
    isa.set_length(length, 32);
    isa.load(sums[0], 32, at.params);
    for (size_t i = 1; i < sums.size(); ++i) isa.copy(sums[i], sums[0]);
  }
  /// Requantises and stores sums of neighbouring pixels, then moves to the next tile.
  void end(const Rvv::Groups& sums, const Operands& at, Rvv& isa) const {
    scale(sums, at, isa);
    isa.store_bytes(sums[0], at.output);
    for (size_t i = 1; i < sums.size(); ++i) {
      isa.add(at.address, i == 1 ? at.output : at.address, w_.out_c, at.address);
      isa.store_bytes(sums[i], at.address);
    }
    if (tiles() == 1) return;
    isa.out().emit("addi {0}, {0}, {1}", at.output, lanes_.count());
    isa.out().emit("addi {0}, {0}, {1}", at.left, -lanes_.count());
    isa.out().emit("bgtz {}, 1b", at.left);
  }

 private:
  void pack_tile(const LayerData& data, int first, std::vector<int32_t>& params) const {
    const int count = lanes_.count();
    const auto at = [&](int lane, const auto& of_channel) {
      return first + lane < w_.out_c ? of_channel(first + lane) : 0;
    };
    const auto add = [&](const auto& of_channel) {
      for (int lane = 0; lane < count; ++lane) params.push_back(at(lane, of_channel));
    };
    const auto right = [&](int c) { return std::max(0, right_shift(data, c)); };
    add([&](int c) { return folded_bias(w_, data, c); });
    if (shifts_left_) add([&](int c) { return std::max(0, -right_shift(data, c)); });
    add([&](int c) { return data.multiplier[static_cast<size_t>(c)]; });
    if (is_masked()) {
      std::vector<uint32_t> mask(static_cast<size_t>((count + 31) / 32));
      for (int lane = 0; lane < count; ++lane)
        mask[static_cast<size_t>(lane / 32)] |= uint32_t{at(lane, right) > 0} << lane % 32;
      params.insert(params.end(), mask.begin(), mask.end());
    }
    for (int lane = 0; lane < count; lane += 2)
      params.push_back(halves(at(lane, right), at(lane + 1, right)));
  }

  bool is_masked() const { return shifts_left_ && !clamps_negatives(w_); }

  void scale(const Rvv::Groups& sums, const Operands& at, Rvv& isa) const {
    const VectorReg constant{0}, mask{1};
    isa.set_width(32);
    if (shifts_left_) {
      isa.load(constant, 32, at.params);
      isa.shift_left(sums, constant);
    }
    isa.load(constant, 32, at.params);
    isa.scale(sums, constant);
    if (is_masked()) isa.load_mask(mask, at.params);
    if (!clamps_negatives(w_)) isa.turn_halves(sums, is_masked() ? &mask : nullptr);
    isa.set_width(16);
    isa.load(constant, 16, at.params);
    isa.shift_right(sums, constant);
    isa.add_half(sums, at.zero_point);
    isa.set_width(8);
    isa.narrow(sums);
    if (w_.activation_min > INT8_MIN) isa.at_least(sums, at.low);
    if (w_.activation_max < INT8_MAX) isa.at_most(sums, at.high);
  }

  const Workload& w_;
  const RvvLanes lanes_;
  const bool shifts_left_;
};

}  // namespace tinytune
