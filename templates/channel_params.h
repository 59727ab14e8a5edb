// The array "params" that every kernel reads: of each channel, what its sums start from, then what
// its requantisation reads; behind the last channel, what all of them share.
//
// A channel's words stand side by side because one base register then reaches all of them;
// registers, not loads, are what an epilogue is short of. The zero point of the input is folded
// into the bias: sum (x - z) * w + b = sum x * w + (b - z * sum w), exactly, modulo 2^32.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/layer_shifts.h"
#include "schedules/requantise.h"
#include "schedules/stepped_requantise.h"
#include "schedules/workload.h"
#include "templates/packing.h"

namespace tinytune {

/// Words that one channel's requantisation reads, in this order:
///   fused    multiplier, offset; shared by all channels: left shift, right shift
///   short    2 * multiplier, right shift
///   shifted  2 * multiplier, right shift, left shift
///   long     multiplier, left shift, right shift
///   stepped  multiplier, right shift; shared: SteppedLevels, two to a word, the even one below
inline int scaling_words(Requantise kind) {
  return kind == Requantise::kLong || kind == Requantise::kShifted ? 3 : 2;
}
inline int shared_words(Requantise kind) {
  if (kind == Requantise::kStepped) return std::tuple_size_v<SteppedLevels> / 2;
  return kind == Requantise::kFused ? 2 : 0;
}

/// The bias that makes the input's zero point disappear from the sum.
inline int32_t folded_bias(const Workload& w, const LayerData& data, int channel) {
  uint32_t sum = 0;
  for (int8_t weight : channel_weights(w, data, channel)) sum += static_cast<uint32_t>(weight);
  const auto bias = static_cast<uint32_t>(data.bias[static_cast<size_t>(channel)]);
  return static_cast<int32_t>(bias - static_cast<uint32_t>(w.input_zero_point) * sum);
}

/// Packs the array, front to back.
class ChannelParams {
 public:
  /// kUnsupported: the kind in `workload.facts` is not provable for these constants.
  static Result<ChannelParams> create(const Workload& w, const LayerData& data) {
    const Requantise kind = w.facts.requantise;
    const auto fused = kind == Requantise::kFused ? fuse_requantise(w, data) : std::nullopt;
    const auto levels = kind == Requantise::kStepped ? step_requantise(w, data) : std::nullopt;
    const bool exact = kind == Requantise::kLong      ? w.rounding == Rounding::kTwice
                       : kind == Requantise::kShifted ? shifted_requantise_proved(w, data)
                       : kind == Requantise::kShort   ? short_requantise_proved(w, data)
                                                      : fused || levels;
    if (!exact)
      return Error(ErrorCode::kUnsupported, "the " + std::string(name_of(kind)) +
                                                " requantisation is not exact for these weights");
    ChannelParams params(kind);
    for (int channel = 0; channel < w.out_c; ++channel) {
      const auto c = static_cast<size_t>(channel);
      const int shift = right_shift(data, channel), left = std::max(-shift, 0);
      const int right = std::max(shift, 0);
      const int32_t multiplier = data.multiplier[c];
      const auto twice = static_cast<int32_t>(2 * static_cast<uint32_t>(multiplier));
      const std::vector<int32_t> words =
          kind == Requantise::kLong      ? std::vector{multiplier, left, right}
          : kind == Requantise::kShifted ? std::vector{twice, right, left}
          : kind == Requantise::kShort   ? std::vector{twice, right}
          : kind == Requantise::kFused
              ? std::vector{fused->multiplier[c], fused->offset[c]}
              : std::vector{multiplier, std::max(right, kLeastSteppedShift) - 1};
      params.scaling_.insert(params.scaling_.end(), words.begin(), words.end());
    }
    if (fused) params.shared_ = {fused->left, fused->right};
    for (size_t i = 0; levels && i < levels->size(); i += 2)
      params.shared_.push_back(halves((*levels)[i], (*levels)[i + 1]));
    return params;
  }

  void add(std::initializer_list<int32_t> words) { words_.insert(words_.end(), words); }
  void add_scaling(int channel) {
    const auto words = scaling(channel);
    words_.insert(words_.end(), words.begin(), words.end());
  }
  /// What add_scaling() adds, and what finish() does.
  std::vector<int32_t> scaling(int channel) const {
    const int words = scaling_words(kind_);
    const auto from = scaling_.begin() + int64_t{channel} * words;
    return {from, from + words};
  }
  const std::vector<int32_t>& shared() const { return shared_; }
  /// Whether all channels are requantised alike and, if fused, with the shifts of layer_shifts.h.
  bool is_uniform() const {
    if (kind_ == Requantise::kFused && shared_ != std::vector<int32_t>{kLayerLeft, kLayerRight})
      return false;
    return channels_are_alike();
  }
  /// Whether all channels have the same words.
  bool channels_are_alike() const {
    const auto words = static_cast<size_t>(scaling_words(kind_));
    for (size_t i = words; i < scaling_.size(); ++i)
      if (scaling_[i] != scaling_[i - words]) return false;
    return true;
  }
  /// "params", with the shared words behind what was added.
  PackedConstant finish() const {
    std::vector<int32_t> all = words_;
    all.insert(all.end(), shared_.begin(), shared_.end());
    return words_constant("params", all);
  }

 private:
  explicit ChannelParams(Requantise kind) : kind_(kind) {}

  Requantise kind_;
  std::vector<int32_t> scaling_, shared_, words_;
};

/// The array of kernels whose sums start from the folded bias, and `more`, alone.
inline Result<PackedConstant> pack_params(const Workload& w, const LayerData& data,
                                          uint32_t more = 0) {
  TT_TRY_ASSIGN(ChannelParams params, ChannelParams::create(w, data));
  for (int c = 0; c < w.out_c; ++c) {
    const auto bias = static_cast<uint32_t>(folded_bias(w, data, c));
    params.add({static_cast<int32_t>(bias + more)});
    params.add_scaling(c);
  }
  return params.finish();
}

/// Of kernels that keep what sums start from elsewhere: requantisation alone, of each channel or,
/// once, of the layer: then without shifts, if fused, which are those of layer_shifts.h.
enum class Scaled { kByChannel, kByLayer };
/// kUnsupported: asked for the layer's, and channels or shifts differ.
inline Result<PackedConstant> pack_scaling(const Workload& w, const LayerData& data,
                                           Scaled scaled) {
  TT_TRY_ASSIGN(ChannelParams params, ChannelParams::create(w, data));
  if (scaled == Scaled::kByLayer && !params.is_uniform())
    return Error(ErrorCode::kUnsupported, "the channels of this layer are scaled differently");
  for (int c = 0; c < (scaled == Scaled::kByLayer ? 1 : w.out_c); ++c) params.add_scaling(c);
  return params.finish();
}

}  // namespace tinytune
