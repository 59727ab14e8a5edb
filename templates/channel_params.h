// The array "params" that every kernel reads: for each channel, the start value of its sums, then
// the words of its requantisation; after the last channel, the words that all channels share.
//
// A channel's words are contiguous, so that one base register reaches all of them: an epilogue is
// short of registers, not of loads. The zero point of the input is folded into the bias, exactly
// modulo 2^32: sum (x - z) * w + b = sum x * w + (b - z * sum w).
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

/// Returns the bias with the input's zero point folded in.
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
  /// The words that add_scaling() appends, and those that finish() appends.
  std::vector<int32_t> scaling(int channel) const {
    const int words = scaling_words(kind_);
    const auto from = scaling_.begin() + int64_t{channel} * words;
    return {from, from + words};
  }
  const std::vector<int32_t>& shared() const { return shared_; }
  /// Returns whether all channels are requantised alike and, if fused, with the shifts of
  /// layer_shifts.h.
  bool is_uniform() const {
    if (kind_ == Requantise::kFused && shared_ != std::vector<int32_t>{kLayerLeft, kLayerRight})
      return false;
    return channels_are_alike();
  }
  /// Returns whether all channels have the same words.
  bool channels_are_alike() const {
    const auto words = static_cast<size_t>(scaling_words(kind_));
    for (size_t i = words; i < scaling_.size(); ++i)
      if (scaling_[i] != scaling_[i - words]) return false;
    return true;
  }
  /// Returns "params": the added words, then the shared ones.
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

/// Packs "params" for kernels whose sums start from the folded bias plus `more`.
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

/// Whether "params" holds the requantisation of each channel or, once, that of the layer. A fused
/// layer's kernel has its shifts (layer_shifts.h) in the code.
enum class Scaled { kByChannel, kByLayer };
/// Packs "params" without start values, for kernels that keep those elsewhere.
/// kUnsupported: kByLayer, but channels or shifts differ.
inline Result<PackedConstant> pack_scaling(const Workload& w, const LayerData& data,
                                           Scaled scaled) {
  TT_TRY_ASSIGN(ChannelParams params, ChannelParams::create(w, data));
  if (scaled == Scaled::kByLayer && !params.is_uniform())
    return Error(ErrorCode::kUnsupported, "the channels of this layer are scaled differently");
  for (int c = 0; c < (scaled == Scaled::kByLayer ? 1 : w.out_c); ++c) params.add_scaling(c);
  return params.finish();
}

}  // namespace tinytune
