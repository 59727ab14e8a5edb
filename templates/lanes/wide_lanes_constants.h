// Packs the constants of wide lanes (wide_lanes_nhwc.cc): weights by tiles, and the requantisation
// of lanes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "schedules/requantise.h"
#include "templates/channel_params.h"
#include "templates/lane_shifts.h"
#include "templates/lanes/lane_scaling.h"
#include "templates/lanes/multiplier_parts.h"
#include "templates/lanes/wide_lanes_plan.h"
#include "templates/packing.h"
#include "templates/tile/channel_groups.h"

namespace tinytune {

inline constexpr int kWideFusedWords = 1;  // words that channels share, if fused: the right shift

// Returns whether constants include each channel's smallest lane with an output above the low
// limit, so that smaller lanes need no scaling: if the layer clamps at zero. Not where a clamp is
// one instruction, which takes no longer than the test.
inline bool knows_low_limit(const Workload& w, const WideLanesPlan& plan) {
  return plan.scales_lanes && !plan.traits().saturates && clamps_negatives(w);
}

// Returns the number of a channel's words beyond those of its requantisation: a bias for its sums;
// or, if lanes are scaled (whose constants include the bias), the first lane above the low limit
// and the words of further multiplier parts.
inline int wide_start_words(const Workload& w, const WideLanesPlan& plan) {
  if (!plan.scales_lanes) return 1;
  const int parts = plan.traits().multiplies_high ? 1 : MultiplierParts(plan.bits()).words();
  return parts - 1 + (knows_low_limit(w, plan) ? 1 : 0);
}

// Returns, for each channel, what to add to an accumulator to get its lane's value.
inline std::vector<int64_t> lane_origins(const Workload& w, const LayerData& data, int bits) {
  std::vector<int64_t> origin;
  for (int c = 0; c < w.out_c; ++c)
    origin.push_back(int64_t{middle_of_lane(bits)} - folded_bias(w, data, c));
  return origin;
}

inline Status wide_sums_fit(const Workload& w, const LayerData& data, int bits) {
  return sums_fit_lanes(w, data, bits, lane_origins(w, data, bits));
}

inline Result<FusedRequantise> fuse_wide_lanes(const Workload& w, const LayerData& data,
                                               const WideLanesPlan& plan) {
  return fuse_lanes(w, data, plan.multiply(), lane_origins(w, data, plan.bits()));
}

// Returns the smallest lane, at the position where it is scaled, with an output above the low
// limit; a word above all lanes if there is none.
inline uint32_t first_above_low(const Workload& w, const LayerData& data, const WideLanesPlan& plan,
                                size_t channel, const AccumulatorRange& range, int64_t origin) {
  const int64_t first = first_reaching(w, range, data, channel, w.activation_min + 1) + origin;
  const int left = plan.traits().multiplies_high ? 32 - plan.bits() : 0;
  return first >> plan.bits() == 0 ? static_cast<uint32_t>(first) << left : ~uint32_t{0};
}

// Packs the fused requantisation of lanes: for each channel the first lane above the low limit,
// multiplier and offset; then the layer's right shift. Otherwise packs what ChannelLoop reads.
inline Result<PackedConstant> pack_wide_ends(const Workload& w, const LayerData& data,
                                             const WideLanesPlan& plan) {
  if (!plan.scales_lanes) return pack_params(w, data, 0u - middle_of_lane(plan.bits()));
  TT_TRY_ASSIGN(const FusedRequantise fused, fuse_wide_lanes(w, data, plan));
  const auto ranges = accumulator_ranges(w, data);
  const auto origin = lane_origins(w, data, plan.bits());
  std::vector<int32_t> words;
  for (size_t c = 0; c < fused.offset.size(); ++c) {
    if (knows_low_limit(w, plan))
      words.push_back(
          static_cast<int32_t>(first_above_low(w, data, plan, c, ranges[c], origin[c])));
    const int32_t multiplier = fused.multiplier[c];
    const auto of_channel = plan.traits().multiplies_high
                                ? std::vector<int32_t>{multiplier}
                                : MultiplierParts(plan.bits()).words_of(multiplier);
    words.insert(words.end(), of_channel.begin(), of_channel.end());
    words.push_back(fused.offset[c]);
  }
  words.push_back(fused.right);
  return words_constant("params", words);
}

inline Result<std::vector<PackedConstant>> pack_wide_group(const Workload& w, const LayerData& data,
                                                           const WideLanesPlan& plan) {
  TT_TRY(wide_sums_fit(w, data, plan.bits()));
  if (plan.takes_sums_out && fuse_wide_lanes(w, data, plan))
    return Error(ErrorCode::kUnsupported, "lanes of this width can be scaled as they are");
  TT_TRY_ASSIGN(PackedConstant params, pack_wide_ends(w, data, plan));
  const int offset = plan.traits().weight_offset;
  std::vector<int8_t> weights;  // [tile][product][channel of the tile]
  for (int first = 0; first < w.out_c; first += plan.tile.channels) {
    const auto tile = weights_of_tile(w, data, first, plan.tile.channels);
    for (size_t k = 0; k < static_cast<size_t>(plan.padded_reduction); ++k)
      for (const auto& channel : tile)
        weights.push_back(static_cast<int8_t>((k < channel.size() ? channel[k] : 0) + offset));
  }
  return std::vector<PackedConstant>{bytes_constant("weights", weights), std::move(params)};
}

inline Result<std::vector<PackedConstant>> pack_wide_lanes(const Workload& w, const LayerData& data,
                                                           const Schedule& schedule) {
  return pack_groups(
      w, data,
      [plan = WideLanesPlan(w, schedule)](const Workload& group, const LayerData& of_group) {
        return pack_wide_group(group, of_group, plan);
      });
}

// Checks all conditions of pack(), once for every width of a lane. Layers with groups are packed.
inline std::function<bool(const Schedule&)> wide_lanes_may_pack(const Workload& w,
                                                                const LayerData& data) {
  return [&w, &data, known = std::map<int, bool>()](const Schedule& schedule) mutable {
    const WideLanesPlan plan(w, schedule);
    const auto [at, is_new] = known.try_emplace(plan.bits(), false);
    if (is_new && w.groups > 1)
      at->second = bool{pack_wide_lanes(w, data, schedule)};
    else if (is_new)
      at->second = bool{wide_sums_fit(w, data, plan.bits())} &&
                   (w.facts.requantise != Requantise::kFused ||
                    bool{fuse_wide_lanes(w, data, plan)} == plan.scales_lanes);
    return at->second;
  };
}

}  // namespace tinytune
