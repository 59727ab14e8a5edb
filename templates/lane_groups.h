// How many products a 16-bit lane can take before it must be emptied: a proof, from the weights.
#pragma once

#include <cstdint>
#include <vector>

namespace tinytune {

/// Cuts the reduction of a tile of channels (equal lengths, a multiple of `step`) into the longest
/// groups with 128 * sum|w| <= 32767 for every channel. Lengths are in products, multiples of
/// `step`, at most `longest`. Empty when a single step does not fit.
std::vector<int> lane_groups(const std::vector<std::vector<int8_t>>& tile, int step, int longest);

}  // namespace tinytune
