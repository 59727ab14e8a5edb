#include "templates/lanes/lane_groups.h"

#include <algorithm>
#include <span>

#include "schedules/weight_facts.h"

namespace tinytune {
namespace {

// Whether products [from, to) fit the lane of every channel; beyond the end they are zero.
bool fits(const std::vector<std::vector<int8_t>>& tile, size_t from, size_t to) {
  return std::all_of(tile.begin(), tile.end(), [&](const std::vector<int8_t>& channel) {
    const std::span<const int8_t> all(channel);
    return from >= all.size() || fits_lane(all.subspan(from, std::min(to, all.size()) - from));
  });
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
