#include "templates/channel_params.h"

#include <algorithm>

#include "schedules/layer_shifts.h"
#include "schedules/requantise.h"
#include "schedules/stepped_requantise.h"
#include "templates/packing.h"

namespace tinytune {
namespace {

Error not_exact(const char* kind) {
  return Error(ErrorCode::kUnsupported,
               std::string("the ") + kind + " requantisation is not exact for these weights");
}

}  // namespace

int scaling_words(Requantise kind) {
  return kind == Requantise::kLong || kind == Requantise::kShifted ? 3 : 2;
}

int shared_words(Requantise kind) {
  if (kind == Requantise::kStepped) return std::tuple_size_v<SteppedLevels> / 2;
  return kind == Requantise::kFused ? 2 : 0;
}

int32_t folded_bias(const Workload& w, const LayerData& data, int channel) {
  uint32_t sum = 0;
  for (int8_t weight : channel_weights(w, data, channel)) sum += static_cast<uint32_t>(weight);
  const auto bias = static_cast<uint32_t>(data.bias[static_cast<size_t>(channel)]);
  return static_cast<int32_t>(bias - static_cast<uint32_t>(w.input_zero_point) * sum);
}

Result<ChannelParams> ChannelParams::create(const Workload& w, const LayerData& data) {
  ChannelParams params(w.facts.requantise);
  std::vector<int32_t>& words = params.scaling_;
  const auto for_each_channel = [&](const auto& words_of) {
    for (int c = 0; c < w.out_c; ++c) {
      const int right = right_shift(data, c);
      const int32_t multiplier = data.multiplier[static_cast<size_t>(c)];
      const auto twice = static_cast<int32_t>(2 * static_cast<uint32_t>(multiplier));
      words_of(c, multiplier, twice, std::max(-right, 0), std::max(right, 0));
    }
  };
  switch (w.facts.requantise) {
    case Requantise::kLong:
      if (w.rounding != Rounding::kTwice) return not_exact("long");
      for_each_channel([&](int, int32_t multiplier, int32_t, int left, int right) {
        words.insert(words.end(), {multiplier, left, right});
      });
      break;
    case Requantise::kShifted:
      if (!shifted_requantise_proved(w, data)) return not_exact("shifted");
      for_each_channel([&](int, int32_t, int32_t twice, int left, int right) {
        words.insert(words.end(), {twice, right, left});
      });
      break;
    case Requantise::kShort:
      if (!short_requantise_proved(w, data)) return not_exact("short");
      for_each_channel([&](int, int32_t, int32_t twice, int, int right) {
        words.insert(words.end(), {twice, right});
      });
      break;
    case Requantise::kFused: {
      const auto fused = fuse_requantise(w, data);
      if (!fused) return not_exact("fused");
      for_each_channel([&](int channel, int32_t, int32_t, int, int) {
        const auto c = static_cast<size_t>(channel);
        words.insert(words.end(), {fused->multiplier[c], fused->offset[c]});
      });
      params.shared_ = {fused->left, fused->right};
      break;
    }
    case Requantise::kStepped: {
      const auto levels = step_requantise(w, data);
      if (!levels) return not_exact("stepped");
      for_each_channel([&](int, int32_t multiplier, int32_t, int, int right) {
        words.insert(words.end(), {multiplier, std::max(right, kLeastSteppedShift) - 1});
      });
      for (size_t i = 0; i < levels->size(); i += 2)
        params.shared_.push_back(static_cast<int32_t>(
            static_cast<uint16_t>((*levels)[i]) |
            static_cast<uint32_t>(static_cast<uint16_t>((*levels)[i + 1])) << 16));
      break;
    }
  }
  return params;
}

void ChannelParams::add(std::initializer_list<int32_t> words) {
  words_.insert(words_.end(), words);
}

void ChannelParams::add_scaling(int channel) {
  const int words = scaling_words(kind_);
  const auto from = scaling_.begin() + int64_t{channel} * words;
  words_.insert(words_.end(), from, from + words);
}

bool ChannelParams::is_uniform() const {
  if (kind_ == Requantise::kFused && shared_ != std::vector<int32_t>{kLayerLeft, kLayerRight})
    return false;
  const auto words = static_cast<size_t>(scaling_words(kind_));
  for (size_t i = words; i < scaling_.size(); ++i)
    if (scaling_[i] != scaling_[i - words]) return false;
  return true;
}

PackedConstant ChannelParams::finish() const {
  std::vector<int32_t> all = words_;
  all.insert(all.end(), shared_.begin(), shared_.end());
  return words_constant("params", all);
}

Result<PackedConstant> pack_params(const Workload& w, const LayerData& data) {
  TT_TRY_ASSIGN(ChannelParams params, ChannelParams::create(w, data));
  for (int c = 0; c < w.out_c; ++c) {
    params.add({folded_bias(w, data, c)});
    params.add_scaling(c);
  }
  return params.finish();
}

Result<PackedConstant> pack_scaling(const Workload& w, const LayerData& data, Scaled scaled) {
  TT_TRY_ASSIGN(ChannelParams params, ChannelParams::create(w, data));
  if (scaled == Scaled::kByLayer && !params.is_uniform())
    return Error(ErrorCode::kUnsupported, "the channels of this layer are scaled differently");
  for (int c = 0; c < (scaled == Scaled::kByLayer ? 1 : w.out_c); ++c) params.add_scaling(c);
  return params.finish();
}

}  // namespace tinytune
