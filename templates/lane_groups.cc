#include "templates/lane_groups.h"

#include <algorithm>
#include <cstdlib>

namespace tinytune {
namespace {

constexpr int kLaneLimit = 32767;  // what a lane may reach on either side of its middle

}  // namespace

std::vector<int> lane_groups(const std::vector<std::vector<int8_t>>& tile, int step, int longest) {
  std::vector<int> lengths;
  std::vector<int> sums(tile.size(), 0);
  for (size_t at = 0; at < tile[0].size(); at += static_cast<size_t>(step)) {
    std::vector<int> more(tile.size(), 0);
    for (size_t c = 0; c < tile.size(); ++c)
      for (size_t i = at; i < at + static_cast<size_t>(step); ++i) more[c] += std::abs(tile[c][i]);
    bool fits = !lengths.empty() && lengths.back() + step <= longest;
    for (size_t c = 0; c < tile.size(); ++c) fits &= 128 * (sums[c] + more[c]) <= kLaneLimit;
    if (fits) {
      lengths.back() += step;
      for (size_t c = 0; c < tile.size(); ++c) sums[c] += more[c];
    } else {
      for (int alone : more)
        if (128 * alone > kLaneLimit) return {};
      lengths.push_back(step);
      sums = std::move(more);
    }
  }
  return lengths;
}

}  // namespace tinytune
