// The set of points of a space that have been neither proposed nor observed.
//
// A permutation with its inverse, so that removing a given point and drawing a random one both cost
// O(1). Rejection sampling would be slow near the end of a small space, and small spaces are
// searched completely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/rng.h"

namespace tinytune {

class Unseen {
 public:
  explicit Unseen(size_t space_size) : points_(space_size), place_(space_size) {
    std::iota(points_.begin(), points_.end(), 0u);
    std::iota(place_.begin(), place_.end(), 0u);
    count_ = space_size;
  }

  size_t size() const { return count_; }
  size_t space_size() const { return points_.size(); }
  bool empty() const { return count_ == 0; }
  bool contains(size_t point) const { return place_.at(point) < count_; }
  bool contains(const std::optional<size_t>& point) const { return point && contains(*point); }

  /// Removes a point; returns false if it was removed before.
  bool take(size_t point) {
    if (!contains(point)) return false;
    const uint32_t hole = place_[point], last = points_[--count_];
    std::swap(points_[hole], points_[count_]);
    place_[last] = hole;
    place_[point] = static_cast<uint32_t>(count_);
    return true;
  }

  /// Returns a uniformly random point without removing it; the set must not be empty.
  size_t draw(Rng& rng) const {
    TT_CHECK(!empty(), "nothing left to draw");
    return points_[rng.below(count_)];
  }

 private:
  std::vector<uint32_t> points_;  ///< the first count_ are unseen
  std::vector<uint32_t> place_;   ///< index of each point in points_
  size_t count_ = 0;
};

}  // namespace tinytune
