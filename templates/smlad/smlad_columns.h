// Rows of a 3x3 depthwise window for cores with the Arm DSP extension, in assembly.
//
// Of one channel: its inputs lie widened to 16 bits side by side, so a word holds two neighbours,
// and SMLAD multiplies both with two neighbouring weights. A kernel row is two words of weights,
// (w0, w1) and (w1, w2), and with them any output takes two instructions a row: an even one
//
//   SMLAD of (x0, x1) with (w0, w1), SMLABT of (x2, x3) with (w1, w2): x2 * w2,
//
// and an odd one, of a stride of 1, SMLATB of (x0, x1) with (w0, w1): x1 * w0, then SMLAD of
// (x2, x3) with (w1, w2). The six words and four sums leave two registers: words of inputs come by
// twos, and each serves all outputs of the tile that it meets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/workload.h"
#include "templates/isa/thumb2_dsp.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

struct SmladColumns {
  static constexpr int kMostPixels = 4;  // of a tile
  static constexpr int kWeightWords = 6;

  const Workload& w;
  int64_t row_bytes;  ///< from a row of widened inputs to the next
  int rows, pixels;   ///< of outputs; of a tile, even
  LoadOrder loads;    ///< grouped or paired

  /// Whether the layer's shape, requantisation and clamp are what this computes.
  static bool supports(const Workload& w) {
    return w.kernel_h == kTaps && w.kernel_w == kTaps && w.stride_w <= 2 && w.dilation_h == 1 &&
           w.dilation_w == 1 && w.facts.requantise == Requantise::kFused &&
           w.activation_min == -128 && w.activation_max == 127;
  }
  /// Whether loads reach.
  bool fits() const {
    constexpr int64_t kReach = Thumb2Dsp::kReach;
    return kTaps * row_bytes <= kReach && w.stride_h * row_bytes <= kReach &&
           int64_t{pixels} * w.out_c <= kReach;
  }

  /// All rows of one channel. `inputs`: the first row, with its border; `params`: of the channel;
  /// `shared`: what ChannelLoop::end() points to; `output`: the channel in the first pixel.
  struct Place {
    Value inputs, output, weights, params, shared;
  };
  void write(const Place& place, IrText& ir) const;

 private:
  static constexpr int kTaps = 3;

  // Operands. At the start the first of weights holds their address, the first sums those of
  // parameters and of what is shared.
  static constexpr Reg kInputs{0}, kOutput{1}, kWeights{2}, kSums{2 + kWeightWords},
      kWords{2 + kWeightWords + kMostPixels}, kParams = kSums, kShared{2 + kWeightWords + 1};
  static constexpr size_t kOperands = Thumb2Dsp::kRegisters;

  // The frame, in bytes from the stack pointer.
  static constexpr int kBiasAt = 0, kRowEndAt = 4, kScaleAt = 8, kLeftAt = 16, kRightAt = 20,
                       kEndAt = 24, kFrame = 32;

  class Code;
};

class SmladColumns::Code : public Assembly {
 public:
  explicit Code(const SmladColumns& columns)
      : w_(columns.w), row_bytes_(columns.row_bytes), loads_(columns.loads) {
    const int pixels = columns.pixels;
    const int tiles = w_.out_w / pixels, left_over = w_.out_w % pixels;
    const int64_t tile_bytes = int64_t{2} * pixels * w_.stride_w;
    enter(columns.rows);
    label(1);
    if (tiles > 1) {
      emit("addw {}, {}, #{}", kWords, kInputs, tiles * tile_bytes);
      isa_.store(kWords, kRowEndAt);
      label(2);
    }
    if (tiles > 0) {
      tile(pixels);
      emit("addw {0}, {0}, #{1}", kInputs, tile_bytes);
    }
    if (tiles > 1) repeat(2, kRowEndAt);
    if (left_over > 0) tile(left_over);
    const int64_t rest = w_.stride_h * row_bytes_ - tiles * tile_bytes;
    emit("{0}w {1}, {1}, #{2}", rest < 0 ? "sub" : "add", kInputs, rest < 0 ? -rest : rest);
    repeat(1, kEndAt);
    emit("add sp, #{}", kFrame);
  }

 private:
  void label(int number) {
    emit(".p2align 2");
    emit("{}:", number);
  }

  // Until the cursor of inputs is where the frame says.
  void repeat(int number, int end_at) {
    isa_.load(kWords, end_at);
    isa_.repeat_until(kInputs, kWords, number);
  }

  void enter(int rows) {
    emit("sub sp, #{}", kFrame);
    emit("ldrd {}, {}, [{}]", kWords, kWords + 1, kShared);
    isa_.store_two(kWords, kWords + 1, kLeftAt);
    emit("ldrd {}, {}, [{}, #4]", kWords, kWords + 1, kParams);
    isa_.store_two(kWords, kWords + 1, kScaleAt);
    emit("ldr {}, [{}]", kParams, kParams);
    isa_.store(kParams, kBiasAt);
    const int64_t bytes = rows * w_.stride_h * row_bytes_;
    emit("movw {}, #{}", kWords, bytes & 0xffff);
    if (bytes > 0xffff) emit("movt {}, #{}", kWords, bytes >> 16);
    emit("add {0}, {0}, {1}", kWords, kInputs);
    isa_.store(kWords, kEndAt);
    for (int i = SmladColumns::kWeightWords - 1; i >= 0; --i)
      emit("ldr {}, [{}, #{}]", kWeights + i, kWeights, 4 * i);
  }

  void tile(int pixels) {
    isa_.load(kSums, kBiasAt);
    for (int i = 1; i < pixels; ++i) emit("mov {}, {}", kSums + i, kSums);
    const int in_row = ((pixels - 1) * w_.stride_w + kTaps + 1) / 2;  // words
    for (int first = 0; first < kTaps * in_row; first += 2) {
      const int count = std::min(2, kTaps * in_row - first);
      const auto at = [&](int word) { return word / in_row * row_bytes_ + word % in_row * 4; };
      load_words(at(first), count == 2 ? at(first + 1) : at(first));
      for (int i = 0; i < count; ++i)
        multiply(kWords + i, (first + i) / in_row, (first + i) % in_row, pixels);
    }
    requantise(pixels);
  }

  // One or two words of inputs, at these distances from the cursor.
  void load_words(int64_t first, int64_t last) {
    if (loads_ == LoadOrder::kPaired && last == first + 4 && first <= Thumb2Dsp::kPairReach)
      return emit("ldrd {}, {}, [{}, #{}]", kWords, kWords + 1, kInputs, first);
    emit("ldr {}, [{}, #{}]", kWords, kInputs, first);
    if (last != first) emit("ldr {}, [{}, #{}]", kWords + 1, kInputs, last);
  }

  // One word of inputs, columns 2 * `place` and the next, with the outputs that it meets.
  void multiply(Reg word, int row, int place, int pixels) {
    const Reg first = kWeights + 2 * row, second = first + 1;  // (w0, w1), (w1, w2)
    const auto add = [&](const char* how, int pixel, Reg weights) {
      emit("{0} {1}, {2}, {3}, {1}", how, kSums + pixel, word, weights);
    };
    for (int i = 0; i < pixels; ++i) {
      const int tap = 2 * place - i * w_.stride_w;  // of the word's low half
      if (tap == 0) add("smlad", i, first);
      if (tap == 2) add("smlabt", i, second);
      if (tap == -1) add("smlatb", i, first);
      if (tap == 1) add("smlad", i, second);
    }
  }

  // Two registers serve all that scales, one after the other.
  void requantise(int pixels) {
    Thumb2Dsp::Sums sums;
    std::vector<int64_t> at;
    for (int i = 0; i < pixels; ++i) sums.push_back(kSums + i), at.push_back(int64_t{i} * w_.out_c);
    isa_.load(kWords, kLeftAt);
    isa_.shift_left(sums, kWords);
    emit("ldrd {}, {}, [sp, #{}]", kWords, kWords + 1, kScaleAt);
    isa_.scale(sums, kWords, kWords + 1);
    isa_.load(kWords, kRightAt);
    isa_.shift_right(sums, kWords);
    isa_.saturate(sums);
    isa_.store_bytes(sums, kOutput, at);
    isa_.add(kOutput, kOutput, int64_t{pixels} * w_.out_c);
  }

  const Workload& w_;
  const int64_t row_bytes_;
  const LoadOrder loads_;
  Thumb2Dsp isa_{*this};
};

inline void SmladColumns::write(const Place& place, IrText& ir) const {
  Values operands(kOperands, 0);
  operands[kInputs.number] = place.inputs;
  operands[kOutput.number] = place.output;
  operands[kWeights.number] = place.weights;
  operands[kParams.number] = place.params;
  operands[kShared.number] = place.shared;
  ir.assembly(Code(*this).text(), operands, {}, 0);
}

}  // namespace tinytune
