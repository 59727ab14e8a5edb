// The loop over tiles of output channels and a tile's epilogue, from sums to stored bytes, for
// kernels written in LLVM assembly.
//
// Weights, parameters (channel_params.h) and outputs advance together from tile to tile; the loop
// ends where the parameters do. A template writes only the computation of the sums.
#pragma once

#include <functional>

#include "base/check.h"
#include "schedules/workload.h"
#include "templates/channel_params.h"
#include "templates/tile/channel_groups.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

class ChannelLoop {
 public:
  /// `start_words`: the words of a channel's parameters before those of its requantisation.
  ChannelLoop(const Workload& workload, IrText& ir, int start_words)
      : ChannelLoop(workload, ir, start_words, {workload.out_c}) {}
  /// For the channels of a slice. `workload` is a group's, and must outlive the loop.
  ChannelLoop(const Workload& workload, IrText& ir, int start_words, const ChannelSlice& slice)
      : w_(workload),
        ir_(ir),
        start_words_(start_words),
        slice_(slice),
        low_(workload.activation_min),
        high_(workload.activation_max) {
    TT_CHECK(workload.facts.requantise != Requantise::kLong, "the long form is Halide's");
  }

  /// Switches to another slice with as many channels.
  void move_to(const ChannelSlice& slice) { slice_ = slice; }

  /// Bytes of one channel's parameters.
  int param_bytes() const { return 4 * (start_words_ + scaling_words(w_.facts.requantise)); }

  /// Writes the loop over tiles of `channels` output channels. If `channels` is no divisor, the
  /// last tile moves back to fit and computes some channels twice. `tile` gets the addresses of the
  /// tile's weights, parameters and first output, and returns that of the next tile's weights.
  void run(int channels, const Value& output,
           const std::function<Value(const Value&, const Value&, const Value&)>& tile) {
    const Value first_params = slice_.params;
    if (w_.out_c % channels == 0) {
      const Value last = end();
      ir_.do_while({slice_.weights, first_params, output}, [&](const Values& v) {
        const Value weights = tile(v[0], v[1], v[2]);
        const Value params = ir_.at(v[1], int64_t{param_bytes()} * channels);
        return Values{weights, params, ir_.at(v[2], channels), ir_.differs(params, last)};
      });
      return;
    }
    const int last = w_.out_c - channels;
    ir_.do_while({slice_.weights, 0}, [&](const Values& v) {
      const Value params = ir_.at(first_params, v[1], param_bytes());
      const Value weights = tile(v[0], params, ir_.at(output, v[1]));
      const Value next = ir_.clamp(ir_.add(v[1], channels), 0, last);
      return Values{weights, next, ir_.differs(v[1], last)};
    });
  }

  /// Requantises and stores a tile: `channels` contiguous bytes of each of `pixels` pixels, which
  /// are `pixel_bytes` apart. `sum(pixel, channel)` is called channel by channel.
  struct Extent {
    int channels, pixels;
    int64_t pixel_bytes;
  };
  void store(const Extent& extent, const Value& params, const Value& output,
             const std::function<Value(int, int)>& sum) {
    const Value shared = end();
    for (int c = 0; c < extent.channels; ++c) {
      const Scaling of_channel =
          scaling(ir_.at(params, int64_t{param_bytes()} * c + 4 * start_words_));
      for (int i = 0; i < extent.pixels; ++i) {
        const Value target = ir_.at(output, i * extent.pixel_bytes + c);
        ir_.store_byte(requantise(sum(i, c), of_channel, shared), target);
      }
    }
  }

  /// A channel's requantisation, in registers. `address`: of its first word.
  struct Scaling {
    Value multiplier, last;  ///< last: offset, or right shift
    Value left;              ///< left shift; of the shifted form only
  };
  Scaling scaling(const Value& address) {
    Scaling words;
    words.multiplier = ir_.load_word(address);
    words.last = ir_.load_word(ir_.at(address, 4));
    if (w_.facts.requantise == Requantise::kShifted) words.left = ir_.load_word(ir_.at(address, 8));
    return words;
  }
  /// Returns the clamped result, as a word. `end` is the value of end().
  Value requantise(const Value& sum, const Scaling& s, const Value& end) {
    if (w_.facts.requantise == Requantise::kFused) {
      const Value left = ir_.load_word(end), right = ir_.load_word(ir_.at(end, 4));
      const Value scaled = ir_.multiply_high(ir_.shift_left(sum, left), s.multiplier);
      return ir_.clamp(ir_.shift_right(ir_.add(scaled, s.last), right), low_, high_);
    }
    if (w_.facts.requantise == Requantise::kStepped) return stepped(sum, s, end);
    const bool shifted = w_.facts.requantise == Requantise::kShifted;
    const Value acc = shifted ? ir_.shift_left(sum, s.left) : sum;
    // floor(acc * m / 2^31 + 1/2): the high word of acc * 2m, plus the bit below it.
    const Value below = ir_.shift_right(ir_.mul(acc, s.multiplier), 31);
    const Value high = ir_.sub(ir_.multiply_high_unsigned(acc, s.multiplier), below);
    // The shifted form does not round channels whose right shift is 0.
    const Value half = shifted ? ir_.shift_right_unsigned(ir_.shift_left(1, s.last), 1)
                               : ir_.shift_left(1, ir_.sub(s.last, 1));
    Value sign = ir_.shift_right(high, 31);
    if (shifted) sign = ir_.bit_and(sign, ir_.shift_right(ir_.sub(0, s.last), 31));
    const Value rounded = ir_.add(ir_.add(high, sign), half);
    return ir_.clamp(ir_.add(ir_.shift_right(rounded, s.last), w_.output_zero_point), low_, high_);
  }

  /// Keeps the clamp's limits in registers from here on. LLVM would load them for every output,
  /// which is right only if the core clamps in one instruction.
  void keep_limits() {
    low_ = ir_.opaque(low_);
    high_ = ir_.opaque(high_);
  }
  Value clamp(const Value& value) { return ir_.clamp(value, low_, high_); }
  Value at_most_high(const Value& value) {
    return ir_.select(ir_.less(value, high_), value, high_);
  }
  void store_low(const Value& target) { ir_.store_byte_here(low_, target); }

  /// The addresses of the first channel's weights and parameters.
  const ChannelSlice& first() const { return slice_; }
  /// Returns the address after the last channel's parameters, where the shared words are.
  Value end() { return ir_.at(slice_.params, int64_t{param_bytes()} * w_.out_c); }

 private:
  /// Requantises as in stepped_requantise.h. `levels`: the table's address.
  Value stepped(const Value& sum, const Scaling& s, const Value& levels) {
    const Value high = ir_.multiply_high(sum, s.multiplier), low = ir_.mul(sum, s.multiplier);
    const Value k = ir_.shift_right(high, s.last);
    const Value fraction = ir_.bit_or(ir_.shift_left(high, ir_.sub(32, s.last)),
                                      ir_.shift_right_unsigned(low, s.last));
    const Value above = ir_.shift_right(ir_.add(fraction, INT32_MIN), 1);
    const Value level = ir_.load_half(ir_.at(levels, ir_.shift_left(ir_.bit_and(k, 0xff), 1)));
    // The difference is negative if the fraction is above the level's.
    const Value rounded = ir_.sub(k, ir_.shift_right(ir_.sub(level, above), 31));
    return ir_.clamp(ir_.add(rounded, w_.output_zero_point), low_, high_);
  }

  const Workload& w_;
  IrText& ir_;
  int start_words_;
  ChannelSlice slice_;
  Value low_, high_;  // the clamp's limits
};

}  // namespace tinytune
