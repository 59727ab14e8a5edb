// What kernels in lanes as wide as whole sums ask of a layer's weights: that sums fit their lanes,
// and a requantisation that is exact for what lanes hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schedules/lane_words.h"
#include "schedules/requantise.h"
#include "tinytune/result.h"

namespace tinytune {

/// Whether so many lanes may lie in so many words: 17 to 24 bits each.
inline bool is_lane_layout(int lanes, int words) {
  constexpr int kFewestBits = 17, kMostBits = 24;
  return words < lanes && lanes <= 2 * words && LaneWords::bits(lanes, words) >= kFewestBits &&
         LaneWords::bits(lanes, words) <= kMostBits;
}

/// Where a lane's sum starts from, since it may be negative.
inline uint32_t middle_of_lane(int bits) { return uint32_t{1} << (bits - 1); }

/// kUnsupported: accumulators, with `origin` of their channel added, may leave so many bits.
inline Status sums_fit_lanes(const Workload& w, const LayerData& data, int bits,
                             const std::vector<int64_t>& origin) {
  const auto ranges = accumulator_ranges(w, data);
  for (size_t c = 0; c < ranges.size(); ++c)
    if (ranges[c].low + origin[c] < 0 || (ranges[c].high + origin[c]) >> bits != 0)
      return Error(ErrorCode::kUnsupported,
                   "sums may take more than a lane's " + std::to_string(bits) + " bits");
  return ok_status();
}

/// fuse_requantise_from(). kUnsupported: it finds nothing.
inline Result<FusedRequantise> fuse_lanes(const Workload& w, const LayerData& data,
                                          const UnsignedMultiply& multiply,
                                          const std::vector<int64_t>& origin) {
  auto fused = fuse_requantise_from(w, data, multiply, origin);
  if (!fused)
    return Error(ErrorCode::kUnsupported, "no exact requantisation of what lanes hold was found");
  return *std::move(fused);
}

}  // namespace tinytune
