// Computes tiles of wide lanes (wide_lanes_nhwc.cc) in one piece of assembly for RV32, from first
// products to stored bytes, if the requantisation is fused and takes lanes.
//
// LLVM spills registers around a loop that takes all of them. Here all registers but the sums are
// free after the loop, and those of the sums as they are unpacked; cursors are on the stack. A
// branch skips the scaling of outputs at the low limit, and their store if the output is filled
// with that limit in advance.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "schedules/lane_words.h"
#include "schedules/workload.h"
#include "templates/lanes/lane_products.h"
#include "templates/lanes/lane_scaling.h"
#include "templates/tile/ir_text.h"
#include "templates/tile/registers.h"

namespace tinytune {

/// Records the operations of LaneWords::unpack() before they are printed, to free each register at
/// the last use of its value. Omits shifts that only clear bits which a later shift drops.
class UnpackedLanes {
 public:
  struct Step {
    const char* name;   ///< the instruction; null: a word that is the input
    int first, second;  ///< operands, or -1
    int by = 0;         ///< shift amount
    int lane = -1;      ///< lane that this completes, or -1
    int last_use = -1;  ///< the last step that reads it
    bool wanted = false;
  };

  UnpackedLanes(const LaneWords& lanes, int words) {
    std::vector<int> all;
    for (int i = 0; i < words; ++i) all.push_back(push({nullptr, -1, -1}));
    lanes.unpack(all, LaneWords::End::kTop, *this,
                 [&](int lane, int value) { steps_[static_cast<size_t>(value)].lane = lane; });
    for (size_t i = steps_.size(); i-- > 0;) {
      Step& step = steps_[i];
      step.wanted = step.wanted || step.lane >= 0;
      if (!step.wanted) continue;
      for (const int read : {step.first, step.second}) {
        if (read < 0) continue;
        Step& value = steps_[static_cast<size_t>(read)];
        value.wanted = true;
        if (value.last_use < 0) value.last_use = static_cast<int>(i);
      }
    }
  }

  const std::vector<Step>& steps() const { return steps_; }
  bool is_lane(int value) const { return steps_[static_cast<size_t>(value)].lane >= 0; }
  /// Returns operands of a step that no later step reads, and the step itself if none reads it.
  std::vector<int> read_last_by(size_t step) const {
    std::vector<int> last;
    for (const int value : {steps_[step].first, steps_[step].second})
      if (value >= 0 && steps_[static_cast<size_t>(value)].last_use == static_cast<int>(step))
        last.push_back(value);
    if (steps_[step].last_use < 0) last.push_back(static_cast<int>(step));
    return last;
  }

  // The operations that LaneWords uses.
  int sub(int a, int b) { return push({"sub", a, b}); }
  int opaque(int a) { return a; }
  int shift_right_unsigned(int a, int by) { return push({"srli", a, -1, by}); }
  int shift_left(int a, int by) {
    const Step value = steps_[static_cast<size_t>(a)];
    if (is(value, "srli") && by >= value.by) {
      const Step inner = steps_[static_cast<size_t>(value.first)];
      if (is(inner, "slli") && value.by >= inner.by)
        a = value.by == inner.by ? inner.first
                                 : shift_right_unsigned(inner.first, value.by - inner.by);
    }
    return push({"slli", a, -1, by});
  }

 private:
  static bool is(const Step& step, std::string_view name) {
    return step.name != nullptr && step.name == name;
  }
  int push(const Step& step) {
    for (size_t i = 0; step.name != nullptr && i < steps_.size(); ++i)
      if (is(steps_[i], step.name) && steps_[i].first == step.first &&
          steps_[i].second == step.second && steps_[i].by == step.by)
        return static_cast<int>(i);
    steps_.push_back(step);
    return static_cast<int>(steps_.size()) - 1;
  }

  std::vector<Step> steps_;
};

/// The common properties of a layer's tiles.
struct WideTiles {
  LaneTile tile;
  int pixels;
  int64_t weight_bytes;  ///< per tile
  int64_t pixel_bytes;   ///< from a pixel's outputs to those of the next
  bool has_low;          ///< a channel's first word is its first lane above the low limit
  bool is_filled;        ///< the output is filled with the low limit; only if `has_low`
  bool are_many;         ///< many tiles: separate code for first products pays
  bool has_min_max;      ///< has MIN and MAX, so that no output needs a branch
  int low, high;         ///< limits of outputs

  int param_bytes() const { return has_low ? 12 : 8; }
  bool tests_low() const { return has_low && !has_min_max; }
  int bits() const { return LaneWords::bits(pixels, tile.words); }
  int64_t last_output() const { return (pixels - 1) * pixel_bytes + tile.channels - 1; }
  /// Subtracted from offsets of outputs, so that they reach further.
  int64_t output_bias() const { return last_output() < kReach ? 0 : kReach; }
  bool reaches() const { return last_output() < 2 * kReach; }

  static constexpr int64_t kReach = 2048;  ///< range of an immediate
};

class WideTilesWriter : public Assembly {
 public:
  /// Operands, in this order. Cursors start at the first tile; kParamsEnd is that of the last one.
  enum Operand { kWeights, kStaged, kParams, kOutputs, kParamsEnd, kRight, kOperands };
  static constexpr int kRegisters = 28;  // all of RV32's but zero, sp, gp and tp

  explicit WideTilesWriter(const WideTiles& tiles)
      : tiles_(tiles),
        lanes_(tiles.pixels, tiles.tile.words),
        at_(rv32_products().assign(tiles.tile)) {
    if (at_.end_waits)
      at_.end_is_stored = true;
    else
      at_.end = at_.scratch + 1;
    enter();
    emit("3:");
    start();
    append(lane_loop(tiles_.tile, rv32_products(), at_, tiles_.are_many));
    ends();
    repeat();
  }

  /// Returns whether registers and offsets suffice.
  bool fits() const { return fits_; }

 private:
  // Offsets on the stack in bytes. The product loop reads the end of weights from its top.
  enum Place {
    kEndAt = 0,
    kStagedAt = 4,
    kParamsAt = 8,
    kOutputsAt = 12,
    kLastAt = 16,
    kRightAt = 20
  };
  static constexpr int kFrame = 32;
  static constexpr int kShortBranch = 4096;

  void enter() {
    emit("addi sp, sp, -{}", kFrame);
    const std::pair<Operand, Place> stored[] = {{kStaged, kStagedAt},
                                                {kParams, kParamsAt},
                                                {kOutputs, kOutputsAt},
                                                {kParamsEnd, kLastAt},
                                                {kRight, kRightAt}};
    for (const auto& [operand, place] : stored) emit("sw {}, {}(sp)", Reg{operand}, +place);
    if (at_.end_waits) emit("sw {}, {}(sp)", at_.weights, +kEndAt);
  }

  // Starts a tile. Its weights follow those of the previous tile.
  void start() {
    if (at_.end_waits) emit("lw {}, {}(sp)", at_.weights, +kEndAt);
    emit("lw {}, {}(sp)", at_.inputs, +kStagedAt);
    if (tiles_.weight_bytes < WideTiles::kReach) {
      emit("addi {}, {}, {}", at_.end, at_.weights, tiles_.weight_bytes);
    } else {
      emit("li {}, {}", at_.end, tiles_.weight_bytes);
      emit("add {0}, {0}, {1}", at_.end, at_.weights);
    }
    if (at_.end_waits) emit("sw {}, {}(sp)", at_.end, +kEndAt);
    tiles_.are_many ? first_products() : constants();
  }

  // Sets the start values of sums.
  void constants() {
    const int words = tiles_.tile.words;
    for (int s = 0; s < tiles_.tile.channels * words; ++s) {
      if (s >= words && (start_of(s % words) & 0xfff) != 0)  // LI would take two instructions
        emit("mv {}, {}", at_.sums + s, at_.sums + s % words);
      else
        emit("li {}, {}", at_.sums + s, start_of(s % words));
    }
  }

  // Writes the first product of every sum separately and adds the start value to it, so that all
  // channels share the constant's load. Weights are held in their channel's last sum.
  void first_products() {
    const int words = tiles_.tile.words, channels = tiles_.tile.channels;
    const auto sum = [&](int channel, int word) { return at_.sums + (channel * words + word); };
    const Reg word = at_.kept, start = at_.scratch;
    for (int c = 0; c < channels; ++c) emit("lb {}, {}({})", sum(c, words - 1), c, at_.weights);
    for (int i = 0; i < words; ++i) {
      emit("lw {}, {}({})", word, 4 * i, at_.inputs);
      emit("li {}, {}", start, start_of(i));
      for (int c = 0; c < channels; ++c) {
        emit("mul {}, {}, {}", sum(c, i), sum(c, words - 1), word);
        emit("add {0}, {0}, {1}", sum(c, i), start);
      }
    }
    emit("j 2f");
  }

  int32_t start_of(int word) const { return lanes_.word_of(word, middle_of_lane(tiles_.bits())); }

  void ends() {
    const int sums = tiles_.tile.channels * tiles_.tile.words;
    for (int r = 0; r < kRegisters; ++r) {
      const bool is_sum = r >= at_.sums.number && r < at_.sums.number + sums;
      if (!is_sum && (at_.end_waits || r != at_.weights.number)) free_.push_back(Reg{r});
    }
    outputs_ = take(), right_ = take(), high_ = take();
    if (!tiles_.is_filled) low_ = take();
    emit("lw {}, {}(sp)", outputs_, +kOutputsAt);
    emit("lw {}, {}(sp)", right_, +kRightAt);
    emit("li {}, {}", high_, tiles_.high);
    if (!tiles_.is_filled) emit("li {}, {}", low_, tiles_.low);
    const UnpackedLanes unpacked(lanes_, tiles_.tile.words);
    for (int c = 0; c < tiles_.tile.channels; ++c) channel(c, unpacked);
  }

  // From the second channel on, sums have freed a register for the parameters' address.
  void channel(int c, const UnpackedLanes& unpacked) {
    multiplier_ = take(), offset_ = take();
    if (tiles_.tests_low()) first_ = take();
    if (c == 1) params_ = take();
    const Reg params = c == 0 ? multiplier_ : params_;
    if (c < 2) emit("lw {}, {}(sp)", params, +kParamsAt);
    int at = c * tiles_.param_bytes();
    if (tiles_.tests_low()) emit("lw {}, {}({})", first_, at, params);
    if (tiles_.has_low) at += 4;
    emit("lw {}, {}({})", offset_, at + 4, params);
    emit("lw {}, {}({})", multiplier_, at, params);
    unpack(c, unpacked);
    free_.push_back(multiplier_), free_.push_back(offset_);
    if (tiles_.tests_low()) free_.push_back(first_);
  }

  void unpack(int c, const UnpackedLanes& unpacked) {
    const auto& steps = unpacked.steps();
    std::vector<Reg> regs(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      const UnpackedLanes::Step& step = steps[i];
      if (step.name == nullptr) {
        regs[i] = at_.sums + c * tiles_.tile.words + static_cast<int>(i);
        continue;
      }
      if (!step.wanted) continue;
      const auto read = [&](int value) { return regs[static_cast<size_t>(value)]; };
      const std::vector<int> read_last = unpacked.read_last_by(i);
      for (const int value : read_last)
        if (!unpacked.is_lane(value)) free_.insert(free_.begin(), read(value));
      regs[i] = take();
      if (step.second >= 0)
        emit("{} {}, {}, {}", step.name, regs[i], read(step.first), read(step.second));
      else
        emit("{} {}, {}, {}", step.name, regs[i], read(step.first), step.by);
      for (const int value : read_last) {
        if (!unpacked.is_lane(value)) continue;
        const int64_t pixel = steps[static_cast<size_t>(value)].lane;
        finish(read(value), pixel * tiles_.pixel_bytes + c - tiles_.output_bias());
        free_.push_back(read(value));
      }
    }
  }

  // Requantises a lane, in place, and stores it.
  void finish(Reg lane, int64_t at) {
    if (tiles_.is_filled) {
      emit("bltu {}, {}, 5f", lane, first_);
    } else if (tiles_.tests_low()) {
      emit("bgeu {}, {}, 4f", lane, first_);
      emit("sb {}, {}({})", low_, at, outputs_);
      emit("j 5f");
      emit("4:");
    }
    emit("mulhsu {0}, {1}, {0}", lane, multiplier_);
    emit("add {0}, {0}, {1}", lane, offset_);
    emit("sra {0}, {0}, {1}", lane, right_);
    if (tiles_.has_min_max) {
      emit("max {0}, {0}, {1}", lane, low_);
      emit("min {0}, {0}, {1}", lane, high_);
    } else {
      clamp("blt {0}, {1}, 4f", lane, high_);
      if (!tiles_.has_low) clamp("blt {1}, {0}, 4f", lane, low_);
    }
    emit("sb {}, {}({})", lane, at, outputs_);
    emit("5:");
  }

  // Replaces the lane by the limit if the branch is not taken.
  void clamp(const char* branch, Reg lane, Reg limit) {
    emit("{}", fmt::format(fmt::runtime(branch), lane, limit));
    emit("mv {}, {}", lane, limit);
    emit("4:");
  }

  // Moves the cursors to the next tile and branches back, up to the last tile.
  void repeat() {
    const Reg params = tiles_.tile.channels == 1 ? multiplier_ : params_, last = right_;
    if (tiles_.tile.channels == 1) emit("lw {}, {}(sp)", params, +kParamsAt);
    emit("addi {0}, {0}, {1}", params, tiles_.param_bytes() * tiles_.tile.channels);
    emit("addi {0}, {0}, {1}", outputs_, tiles_.tile.channels);
    emit("lw {}, {}(sp)", last, +kLastAt);
    emit("sw {}, {}(sp)", params, +kParamsAt);
    emit("sw {}, {}(sp)", outputs_, +kOutputsAt);
    const int bytes = 4 * lines();
    if (bytes < kShortBranch) {
      emit("bne {}, {}, 3b", params, last);
    } else {
      emit("beq {}, {}, 6f", params, last);
      emit("j 3b");
      emit("6:");
    }
    emit("addi sp, sp, {}", kFrame);
  }

  Reg take() {
    if (free_.empty()) {
      fits_ = false;
      return Reg{0};
    }
    const Reg taken = free_.front();
    free_.erase(free_.begin());
    return taken;
  }

  const WideTiles tiles_;
  const LaneWords lanes_;
  ProductIsa::Operands at_;
  std::vector<Reg> free_;
  bool fits_ = true;
  Reg outputs_, right_, high_, low_, params_, multiplier_, offset_, first_;
};

}  // namespace tinytune
