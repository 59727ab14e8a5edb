// The weights of SMLAD kernels, packed.
//
// SMLAD adds two 16-bit products to a sum, so what multiplies is a pair of inputs (widened to a
// word) with a pair of weights. Two ways to keep the latter:
//
//   pairs   a word a pair, as SMLAD takes it. Two bytes a weight.
//   joined  a word has a pair of each of two channels: each half is 256 * w1 + w0. SMLAD on the
//   word
//           as it was loaded sums T = S0 + 256 * S1, and on its SXTB16, which is the pair of w0,
//           S0; then S1 = (T - S0) / 256. As many instructions as with pairs (one load and SXTB16
//           for two loads), at half the bytes, which is half the waits where weights stay in flash.
//
// Joined is exact where halves fit (not w1 = -128 above a negative w0) and where S1 fits the 24
// bits that are left of it, which is proved from the weights: sums are taken modulo 2^32, so
// nothing else can go wrong.
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

/// |S1| < 2^23 for all int8 inputs.
inline constexpr int64_t kMostJoinedWeight = ((int64_t{1} << 23) - 1) / 128;

/// "weights": {"pairs", "joined"}.
inline Knob weights_knob() { return {"weights", {"pairs", "joined"}}; }
/// `value` is that knob's.
inline WeightForm weight_form(const std::string& value) {
  return value == "joined" ? WeightForm::kJoined : WeightForm::kPairs;
}
/// The value for an untuned layer: joined where bytes are dear, because loads wait or the memory is
/// small, and weights like those of trained layers can be. Elsewhere pairs are faster by a tenth.
inline std::string usual_weights(const Workload& w, const Device& device) {
  constexpr int64_t kUsualMagnitude = 32;  // the mean of most trained channels is below
  const bool fits = kUsualMagnitude * w.reduction() <= kMostJoinedWeight;
  const MemoryRegion& memory = device.memory(device.rodata_memory);
  constexpr int64_t kLayers = 64;  // that may have pairs before these alone could fill the memory
  const bool dear =
      !memory.read_cache.empty() || kLayers * 2 * w.weight_bytes() > int64_t{memory.size_bytes};
  return w.out_c / w.groups >= 2 && fits && dear ? "joined" : "pairs";
}

/// A kernel's inner tile: neighbouring channels by neighbouring pixels.
struct SmladTile {
  WeightForm form;
  int channels, pixels;
  /// Bytes that the cache is asked for weights before they are read; 0: it is not.
  int ahead = 0;

  bool is_joined() const { return form == WeightForm::kJoined; }
  /// Words of weights that one pair of inputs meets.
  int words() const { return form == WeightForm::kPairs ? channels : channels / 2; }
  int64_t weight_bytes(int64_t pairs) const { return 4 * pairs * words(); }
};

/// The input, in reduction order, that a half of a pair multiplies, counted over all pairs; a
/// number beyond the last one's: none.
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

/// Appends the words of a tile, pair by pair. `channels` has the weights of each, `left` how far
/// pairs are shifted, if at all.
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
