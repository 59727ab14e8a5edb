// How many products a 16-bit lane can take before it must be emptied: a proof, from the weights.
#pragma once

#include <cstdint>
#include <vector>

namespace tinytune {

/// Which lengths a group may have: first, first + step, first + 2 * step, ..., at most `longest`.
struct GroupLengths {
  int first, step, longest;
};

/// Cuts the reduction of a tile of channels (of equal lengths) into the longest groups that fit the
/// lane (weight_facts.h) for every channel. Lengths are in products; the last group may reach
/// beyond the reduction's end, where weights count as zero. Empty when `first` products do not fit.
std::vector<int> lane_groups(const std::vector<std::vector<int8_t>>& tile, GroupLengths lengths);

}  // namespace tinytune
