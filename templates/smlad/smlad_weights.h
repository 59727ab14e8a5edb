// The weights of SMLAD kernels, packed.
//
// SMLAD adds two 16-bit products to a sum: it multiplies a pair of inputs (widened to a word) with
// a pair of weights. There are two forms of weights:
//
//   pairs   One word per pair, as SMLAD reads it: two bytes a weight.
//   joined  A word has a pair for each of two channels: each half is 256 * w1 + w0. SMLAD with the
//           loaded word sums T = S0 + 256 * S1; with its SXTB16, which is the pair of w0, it sums
//           S0; then S1 = (T - S0) / 256. As many instructions as pairs (one load and SXTB16 for
//           two loads), at half the bytes, which halves the waits if weights stay in flash.
//
// Joined weights are exact if halves fit 16 bits (not w1 = -128 above a negative w0) and S1 fits
// the 24 bits that are left for it, which is proved from the weights. Sums are modulo 2^32, so
// there is no other condition.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/workload.h"
#include "templates/packing.h"
#include "tinytune/result.h"

namespace tinytune {

enum class WeightForm { kPairs, kJoined };

/// The largest sum of weights' magnitudes for which |S1| < 2^23 for all int8 inputs.
inline constexpr int64_t kMostJoinedWeight = ((int64_t{1} << 23) - 1) / 128;

/// "weights": {"pairs", "joined"}.
inline Knob weights_knob() { return {"weights", {"pairs", "joined"}}; }
/// `value` is the value of weights_knob().
inline WeightForm weight_form(const std::string& value) {
  return value == "joined" ? WeightForm::kJoined : WeightForm::kPairs;
}
/// Returns the value for an untuned layer: joined if bytes are expensive, because loads wait or the
/// memory is small, and typical trained weights can be joined. Otherwise pairs are faster by a
/// tenth.
inline std::string usual_weights(const Workload& w, const Device& device) {
  constexpr int64_t kUsualMagnitude = 32;  // most trained channels have a smaller mean
  const bool fits = kUsualMagnitude * w.reduction() <= kMostJoinedWeight;
  const MemoryRegion& memory = device.memory(device.rodata_memory);
  constexpr int64_t kLayers = 64;  // layers like this one, as pairs, that the memory should hold
  const bool dear =
      !memory.read_cache.empty() || kLayers * 2 * w.weight_bytes() > int64_t{memory.size_bytes};
  return w.out_c / w.groups >= 2 && fits && dear ? "joined" : "pairs";
}

/// A kernel's inner tile: neighbouring channels by neighbouring pixels.
struct SmladTile {
  WeightForm form;
  int channels, pixels;
  /// Distance in bytes at which weights are prefetched; 0: they are not.
  int ahead = 0;

  bool is_joined() const { return form == WeightForm::kJoined; }
  /// Returns the words of weights that are multiplied with one pair of inputs.
  int words() const { return form == WeightForm::kPairs ? channels : channels / 2; }
  int64_t weight_bytes(int64_t pairs) const { return 4 * pairs * words(); }
};

/// Returns the input, in reduction order, that a half of a pair multiplies. Halves are counted over
/// all pairs. A number beyond the last input means none.
using InputOf = std::function<int64_t(int64_t half)>;

inline Status check_joined(const std::vector<std::vector<int8_t>>& channels) {
  for (size_t c = 0; c < channels.size(); c += 2) {
    int64_t total = 0;
    for (size_t k = 0; k < channels[c + 1].size(); ++k) {
      total += std::abs(int{channels[c + 1][k]});
      if (channels[c + 1][k] == -128 && channels[c][k] < 0)
        return Error(ErrorCode::kUnsupported, "a weight of -128 cannot be joined with another");
    }
    if (total > kMostJoinedWeight)
      return Error(ErrorCode::kUnsupported, "sums of joined weights may exceed 24 bits");
  }
  return ok_status();
}

/// Appends the words of a tile, pair by pair. `channels`: the weights of each channel. `left`: each
/// channel's left shift, or empty.
/// kUnsupported: these weights cannot be joined.
inline Status pack_smlad(const SmladTile& tile, const std::vector<std::vector<int8_t>>& channels,
                         const std::vector<int>& left, int64_t pairs, const InputOf& input_of,
                         std::vector<int32_t>& words) {
  const bool joined = tile.form == WeightForm::kJoined;
  if (joined) TT_TRY(check_joined(channels));
  const auto weight = [&](size_t channel, int64_t half) -> int {
    const auto k = static_cast<size_t>(input_of(half));
    if (k >= channels[channel].size()) return 0;
    return channels[channel][k] * (left.empty() ? 1 : 1 << left[channel]);
  };
  const auto value = [&](size_t channel, int64_t half) {
    return weight(channel, half) + (joined ? 256 * weight(channel + 1, half) : 0);
  };
  for (int64_t half = 0; half < 2 * pairs; half += 2)
    for (size_t c = 0; c < channels.size(); c += joined ? 2 : 1)
      words.push_back(halves(value(c, half), value(c, half + 1)));
  return ok_status();
}

}  // namespace tinytune
