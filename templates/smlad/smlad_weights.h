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
#include <functional>
#include <vector>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

enum class WeightForm { kPairs, kJoined };

/// "weights": {"pairs", "joined"}.
Knob weights_knob();
/// `value` is that knob's.
WeightForm weight_form(const std::string& value);
/// The value for an untuned layer: joined where bytes are dear, because loads wait or the memory is
/// small, and weights like those of trained layers can be. Elsewhere pairs are faster by a tenth.
std::string usual_weights(const Workload& workload, const Device& device);

/// Whether weights stay where reading them takes longer.
bool weights_wait(const Device& device);

/// A kernel's inner tile: neighbouring channels by neighbouring pixels.
struct SmladTile {
  WeightForm form;
  int channels, pixels;

  /// Words of weights that one pair of inputs meets.
  int words() const { return form == WeightForm::kPairs ? channels : channels / 2; }
  int64_t weight_bytes(int64_t pairs) const { return 4 * pairs * words(); }
};

/// The input, in reduction order, that a half of a pair multiplies, counted over all pairs; a
/// number beyond the last one's: none.
using InputOf = std::function<int64_t(int64_t half)>;

/// Appends the words of a tile, pair by pair. `channels` has the weights of each.
/// kUnsupported: these weights cannot be joined.
Status pack_smlad(const SmladTile& tile, const std::vector<std::vector<int8_t>>& channels,
                  int64_t pairs, const InputOf& input_of, std::vector<int32_t>& words);

}  // namespace tinytune
