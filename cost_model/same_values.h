// Finds values of a knob that have made no difference so far.
//
// A knob often has no effect because of another: a tile larger than the tiled extent, an order of
// instructions that a single block does not have. Points that differ only in such values are the
// same kernel, which a search need not try twice. Different kernels rarely take exactly the same
// number of cycles; a wrong conclusion is revoked by the first pair that differs.
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
  /// `space` must outlive this. Initially no two values are the same.
  explicit SameValues(const ConfigSpace& space);

  /// Replaces earlier findings. Two knob values are the same if two samples that differ only in
  /// them have equal values, unless other samples contradict. The largest sample value is ignored,
  /// because failures have it.
  void find(std::span<const KnobSample> samples);

  /// Returns the first value of the knob that is the same as this one.
  size_t first_like(size_t family, size_t knob, size_t value) const {
    return first_[family][knob][value];
  }

  /// Returns whether two points of one family are equal but for values that are the same.
  bool are_one(size_t a, size_t b) const;

 private:
  void forget(size_t family, size_t knob);
  void join(size_t family, size_t knob, size_t a, size_t b);
  void part(size_t a, size_t b);

  const ConfigSpace& space_;
  std::vector<std::vector<std::vector<size_t>>> first_;  ///< by family, knob and value
};

}  // namespace tinytune
