// Which values of a knob have made no difference so far.
//
// Knobs often do nothing where another says so: a tile larger than what is tiled, an order of
// instructions that one block does not have. Two points that differ in such values alone are one
// kernel, and a search that knows it does not try it twice. A compiler's clock is exact: that two
// kernels take the same time to the cycle and are not the same one is rare, and is found out by
// the first pair that differs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cost_model/knob_gp.h"
#include "schedules/config_space.h"

namespace tinytune {

/// Deterministic; not thread-safe.
class SameValues {
 public:
  /// `space` outlives it. Every value stands for itself.
  explicit SameValues(const ConfigSpace& space);

  /// Forgets what it found before. Values are the same where two samples that differ in them alone
  /// have one value, as long as no samples contradict. The largest value tells nothing: it is what
  /// failures are given.
  void find(std::span<const KnobSample> samples);

  /// The first value of the knob that is the same as this one.
  size_t first_like(size_t family, size_t knob, size_t value) const {
    return first_[family][knob][value];
  }

  /// Whether two points of one family differ in values that are the same, or not at all.
  bool are_one(size_t a, size_t b) const;

 private:
  void forget(size_t family, size_t knob);
  void join(size_t family, size_t knob, size_t a, size_t b);
  void part(size_t a, size_t b);

  const ConfigSpace& space_;
  std::vector<std::vector<std::vector<size_t>>> first_;  ///< by family, knob and value
};

}  // namespace tinytune
