// Rows of a 3x3 depthwise window for cores with the Arm DSP extension, in assembly.
//
// The inputs of one channel are contiguous, widened to 16 bits, so a word holds two neighbours, and
// SMLAD multiplies both with two neighbouring weights. A kernel row is two words of weights:
// (w0, w1) and (w1, w2). With them any output takes two instructions per row: an even one
//
//   SMLAD of (x0, x1) with (w0, w1), SMLABT of (x2, x3) with (w1, w2): x2 * w2,
//
// and an odd one, with a stride of 1, SMLATB of (x0, x1) with (w0, w1): x1 * w0, then SMLAD of
// (x2, x3) with (w1, w2). The six words and four sums leave two registers: words of inputs are
// loaded in twos, and each is multiplied for all outputs of the tile that read it.
//
// There are no moves: only the last sum of a tile is loaded, and the first products of the other
// sums add to it. The load of a tile's first words advances the cursor of inputs; stores advance
// that of outputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedules/workload.h"
#include "templates/isa/thumb2_dsp.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

struct SmladColumns {
  static constexpr int kMostPixels = 4;  // per tile
  static constexpr int kWeightWords = 6;

  const Workload& w;
  int64_t line_bytes;  ///< bytes of a channel's row of widened inputs
  int channels;        ///< channels whose lines are adjacent in a row
  int rows, pixels;    ///< output rows; pixels per tile, even
  LoadOrder loads;     ///< grouped or paired
  int right;  ///< right shift (fuse_into_weights()); 0: channels' constants have both shifts

  /// Returns whether this computes the layer's shape, requantisation and clamp.
  static bool supports(const Workload& w) {
    return w.kernel_h == kTaps && w.kernel_w == kTaps && w.stride_w <= 2 && w.dilation_h == 1 &&
           w.dilation_w == 1 && w.facts.requantise == Requantise::kFused &&
           w.activation_min == -128 && w.activation_max == 127;
  }
  int64_t row_bytes() const { return channels * line_bytes; }
  /// Returns whether the offsets of loads reach.
  bool fits() const {
    constexpr int64_t kReach = Thumb2Dsp::kReach;
    return kTaps * row_bytes() <= kReach && w.stride_h * row_bytes() <= kReach &&
           int64_t{pixels} * w.out_c <= kReach;
  }
  /// Returns the number of a channel's words: its weights, multiplier, offset, the sums' start
  /// value and, if `right` is 0, the left and the right shift.
  int words() const { return kWeightWords + (right > 0 ? 3 : 5); }
  /// Returns the words of inputs in a row that `outputs` neighbouring outputs read.
  int64_t words_of_row(int64_t outputs) const {
    return ((outputs - 1) * w.stride_w + kTaps + 1) / 2;
  }

  /// Writes all rows of neighbouring channels. `inputs`: the first row, with its border;
  /// `constants`: of the first channel; `output`: that channel in the first pixel.
  struct Place {
    Value inputs, output, constants;
  };
  void write(const Place& place, IrText& ir) const;

 private:
  static constexpr int kTaps = 3;

  // Operands. At the start the first of weights holds the constants' address.
  static constexpr Reg kInputs{0}, kOutput{1}, kWeights{2}, kSums{2 + kWeightWords},
      kWords{2 + kWeightWords + kMostPixels};

  // The frame, in bytes from the stack pointer.
  static constexpr int kScaleAt = 0, kStartAt = 8, kShiftsAt = 16, kRowEndAt = 24, kEndAt = 28,
                       kConstantsAt = 32, kOutputAt = 36, kOutputEndAt = 40, kFrame = 48;

  class Code;
};

class SmladColumns::Code : public Assembly {
 public:
  explicit Code(const SmladColumns& columns) : columns_(columns) {
    const int channels = columns.channels;
    emit("sub sp, #{}", kFrame);
    isa_.store_two(kWeights, kOutput, kConstantsAt);
    if (channels > 1) {
      emit("add {}, {}, #{}", kWords, kOutput, channels);
      isa_.store(kWords, kOutputEndAt);
      label(3);
    }
    enter();
    rows();
    if (channels > 1) next_channel();
    emit("add sp, #{}", kFrame);
  }

 private:
  using Word = std::pair<int, int>;  // row, place

  void label(int number) {
    emit(".p2align 2");
    emit("{}:", number);
  }

  // Repeats until the cursor of inputs is at the end that is stored in the frame.
  void repeat(int number, int end_at) {
    isa_.load(kWords, end_at);
    isa_.repeat_until(kInputs, kWords, number);
  }

  int64_t input_bytes() const {
    return int64_t{columns_.rows} * w_.stride_h * columns_.row_bytes();
  }

  // Loads a channel's constants, and stores where its rows end.
  void enter() {
    const Reg from = kWords + 1, scale = kSums;
    isa_.load(from, kConstantsAt);
    std::string list;
    for (int i = 0; i < columns_.words(); ++i)
      list += fmt::format("{}{}", i ? ", " : "", kWeights + i);
    emit("ldm {}!, {{{}}}", from, list);
    isa_.store(from, kConstantsAt);
    isa_.store_two(scale, scale + 1, kScaleAt);
    isa_.store(scale + 2, kStartAt);
    if (columns_.right == 0) isa_.store_two(scale + 3, scale + 4, kShiftsAt);
    emit("movw {}, #{}", from, input_bytes() & 0xffff);
    if (input_bytes() > 0xffff) emit("movt {}, #{}", from, input_bytes() >> 16);
    emit("add {0}, {0}, {1}", from, kInputs);
    isa_.store(from, kEndAt);
  }

  void next_channel() {
    isa_.load(kOutput, kOutputAt);
    const int64_t back = input_bytes() - columns_.line_bytes;
    emit("movw {}, #{}", kWords, back & 0xffff);
    if (back > 0xffff) emit("movt {}, #{}", kWords, back >> 16);
    emit("sub {0}, {0}, {1}", kInputs, kWords);
    emit("add {}, #1", kOutput);
    isa_.store(kOutput, kOutputAt);
    isa_.load(kWords, kOutputEndAt);
    isa_.repeat_until(kOutput, kWords, 3);
  }

  void rows() {
    const int pixels = columns_.pixels, tiles = w_.out_w / pixels, left_over = w_.out_w % pixels;
    const int64_t tile_bytes = int64_t{2} * pixels * w_.stride_w;
    const int64_t next_row = w_.stride_h * columns_.row_bytes();
    label(1);
    if (tiles > 1) {
      emit("addw {}, {}, #{}", kWords, kInputs, tiles * tile_bytes);
      isa_.store(kWords, kRowEndAt);
      label(2);
    }
    const int64_t rest = next_row - tiles * tile_bytes;
    if (tiles > 0) tile(pixels, tiles == 1 && left_over == 0 ? next_row : tile_bytes);
    if (tiles > 1) repeat(2, kRowEndAt);
    if (left_over > 0)
      tile(left_over, rest);
    else if (tiles > 1)
      move(rest);
    repeat(1, kEndAt);
  }

  void move(int64_t bytes) {
    emit("{0}w {1}, {1}, #{2}", bytes < 0 ? "sub" : "add", kInputs, std::abs(bytes));
  }

  // Writes a tile. `next`: the distance from its inputs to those of the next tile.
  void tile(int pixels, int64_t next) {
    const Reg last = kSums + (pixels - 1);
    isa_.load(last, kStartAt);
    started_ = 0;
    // Row 0 comes last, and its first words at the end, because their load moves the cursor.
    const auto in_row = static_cast<int>(columns_.words_of_row(pixels));
    std::vector<Word> words;
    for (const int row : {1, 2, 0})
      for (int place = row == 0 ? 2 : 0; place < in_row; ++place) words.push_back({row, place});
    std::vector<std::vector<Word>> groups;
    for (size_t i = 0; i < words.size(); i += 2)
      groups.emplace_back(words.begin() + static_cast<int64_t>(i),
                          words.begin() + static_cast<int64_t>(std::min(i + 2, words.size())));
    groups.push_back({{0, 0}, {0, 1}});
    for (const auto& group : groups) {
      const auto at = [&](const Word& word) {
        return word.first * columns_.row_bytes() + word.second * 4;
      };
      load_words(at(group.front()), at(group.back()), next);
      for (size_t i = 0; i < group.size(); ++i)
        multiply(kWords + static_cast<int>(i), group[i].first, group[i].second, pixels);
    }
    requantise(pixels);
  }

  // Loads one or two words of inputs at these distances from the cursor. A load at 0 moves the
  // cursor by `next`.
  void load_words(int64_t first, int64_t last, int64_t next) {
    const bool paired = columns_.loads == LoadOrder::kPaired && last == first + 4;
    const Reg second = kWords + 1;
    if (first == 0) {
      const bool reaches =
          next > 0 && next <= (paired ? Thumb2Dsp::kPairReach : Thumb2Dsp::kReachBack);
      if (!paired) emit("ldr {}, [{}, #{}]", second, kInputs, last);
      const std::string to =
          fmt::format("[{}]{}", kInputs, reaches ? fmt::format(", #{}", next) : "");
      if (paired)
        emit("ldrd {}, {}, {}", kWords, second, to);
      else
        emit("ldr {}, {}", kWords, to);
      if (!reaches) move(next);
      return;
    }
    if (paired && first <= Thumb2Dsp::kPairReach)
      return emit("ldrd {}, {}, [{}, #{}]", kWords, second, kInputs, first);
    emit("ldr {}, [{}, #{}]", kWords, kInputs, first);
    if (last != first) emit("ldr {}, [{}, #{}]", second, kInputs, last);
  }

  // Multiplies one word of inputs, columns 2 * `place` and the next, for all outputs that read it.
  void multiply(Reg word, int row, int place, int pixels) {
    const Reg first = kWeights + 2 * row, second = first + 1;  // (w0, w1), (w1, w2)
    const auto add = [&](const char* how, int pixel, Reg weights) {
      const bool starts = pixel == started_;
      if (starts) ++started_;
      emit("{} {}, {}, {}, {}", how, kSums + pixel, word, weights,
           kSums + (starts ? pixels - 1 : pixel));
    };
    for (int i = 0; i < pixels; ++i) {
      const int tap = 2 * place - i * w_.stride_w;  // of the word's low half
      if (tap == 0) add("smlad", i, first);
      if (tap == 2) add("smlabt", i, second);
      if (tap == -1) add("smlatb", i, first);
      if (tap == 1) add("smlad", i, second);
    }
  }

  // The same two registers hold all scaling words, in turn.
  void requantise(int pixels) {
    const int right = columns_.right;
    Thumb2Dsp::Sums sums;
    for (int i = 0; i < pixels; ++i) sums.push_back(kSums + i);
    if (right == 0) {
      isa_.load(kWords, kShiftsAt);
      isa_.shift_left(sums, kWords);
    }
    emit("ldrd {}, {}, [sp, #{}]", kWords, kWords + 1, kScaleAt);
    isa_.scale(sums, kWords, kWords + 1);
    if (right == 0) {
      isa_.load(kWords, kShiftsAt + 4);
      isa_.shift_right(sums, kWords);
    }
    isa_.saturate(sums, right);
    if (w_.out_c <= Thumb2Dsp::kReachBack) {
      for (const Reg s : sums) emit("strb {}, [{}], #{}", s, kOutput, w_.out_c);
      return;
    }
    std::vector<int64_t> at;
    for (int i = 0; i < pixels; ++i) at.push_back(int64_t{i} * w_.out_c);
    isa_.store_bytes(sums, kOutput, at);
    isa_.add(kOutput, kOutput, int64_t{pixels} * w_.out_c);
  }

  const SmladColumns& columns_;
  const Workload& w_ = columns_.w;
  Thumb2Dsp isa_{*this};
  int started_ = 0;  // sums of the tile that have a product
};

inline void SmladColumns::write(const Place& place, IrText& ir) const {
  ir.assembly_of_all_registers(Code(*this).text(), {place.inputs, place.output, place.constants});
}

}  // namespace tinytune
