// What kernels with lanes as wide as whole sums require of a layer's weights: sums that fit their
// lanes, and a fused requantisation that is exact for the lanes' values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schedules/lane_words.h"
#include "schedules/requantise.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns whether `lanes` lanes may share `words` words: 17 to 24 bits each.
inline bool is_lane_layout(int lanes, int words) {
  constexpr int kFewestBits = 17, kMostBits = 24;
  return words < lanes && lanes <= 2 * words && LaneWords::bits(lanes, words) >= kFewestBits &&
         LaneWords::bits(lanes, words) <= kMostBits;
}

/// Returns the start value of a lane's sum, which may become negative.
inline uint32_t middle_of_lane(int bits) { return uint32_t{1} << (bits - 1); }

/// Checks that accumulators plus their channel's `origin` fit `bits` bits. kUnsupported: they may
/// not.
inline Status sums_fit_lanes(const Workload& w, const LayerData& data, int bits,
                             const std::vector<int64_t>& origin) {
  const auto ranges = accumulator_ranges(w, data);
  for (size_t c = 0; c < ranges.size(); ++c)
    if (ranges[c].low + origin[c] < 0 || (ranges[c].high + origin[c]) >> bits != 0)
      return Error(ErrorCode::kUnsupported,
                   "sums may take more than a lane's " + std::to_string(bits) + " bits");
  return ok_status();
}

/// Calls fuse_requantise_from(). kUnsupported: it finds nothing.
inline Result<FusedRequantise> fuse_lanes(const Workload& w, const LayerData& data,
                                          const UnsignedMultiply& multiply,
                                          const std::vector<int64_t>& origin) {
  auto fused = fuse_requantise_from(w, data, multiply, origin);
  if (!fused)
    return Error(ErrorCode::kUnsupported, "no exact requantisation of what lanes hold was found");
  return *std::move(fused);
}

}  // namespace tinytune
