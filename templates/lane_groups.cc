#include "templates/lane_groups.h"

#include <algorithm>
#include <cstdlib>

namespace tinytune {
namespace {

constexpr int kLaneLimit = 32767;  // what a lane may reach on either side of its middle

// Whether products [from, to) fit the lane of every channel; beyond the end they are zero.
bool fits(const std::vector<std::vector<int8_t>>& tile, size_t from, size_t to) {
  for (const auto& channel : tile) {
    int sum = 0;
    for (size_t i = from; i < std::min(to, channel.size()); ++i) sum += std::abs(channel[i]);
    if (128 * sum > kLaneLimit) return false;
  }
  return true;
}

}  // namespace

std::vector<int> lane_groups(const std::vector<std::vector<int8_t>>& tile, GroupLengths lengths) {
  std::vector<int> groups;
  const size_t all = tile[0].size(), step = static_cast<size_t>(lengths.step);
  for (size_t from = 0; from < all; from += static_cast<size_t>(groups.back())) {
    size_t to = from + static_cast<size_t>(lengths.first);
    if (!fits(tile, from, to)) return {};
    while (to < all && to + step - from <= static_cast<size_t>(lengths.longest) &&
           fits(tile, from, to + step))
      to += step;
    groups.push_back(static_cast<int>(to - from));
  }
  return groups;
}

}  // namespace tinytune
