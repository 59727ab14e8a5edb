// Points as the cost model sees them, and as each other's neighbours.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "cost_model/feature_matrix.h"
#include "search/strategy.h"

namespace tinytune {

/// Feature rows of a space's points, each made once. Beside the loop nest's features a row holds
/// the point's knobs, each in a column of its family: no nest shows everything a compiler does with
/// a knob, and within one task there is enough data to learn it. Knobs of other families are NaN.
class CandidateRows {
 public:
  explicit CandidateRows(const SearchProblem& problem);

  FeatureMatrix rows(std::span<const size_t> points);

 private:
  const std::vector<float>& row(size_t point);

  const SearchProblem& problem_;
  std::vector<size_t> first_column_;  ///< of each family's knobs
  size_t columns_ = 0;
  std::unordered_map<size_t, std::vector<float>> made_;
};

/// Every legal point that differs in one knob, by the nearest legal value in each direction.
std::vector<size_t> neighbours(const ConfigSpace& space, size_t point);

/// A legal point that differs in one to three knobs, or in any way from a parent of each; `point`
/// itself when a few tries found none.
size_t mutated(const ConfigSpace& space, size_t point, Rng& rng);
size_t crossed(const ConfigSpace& space, size_t mother, size_t father, Rng& rng);

/// The share of knobs in which two points differ, adjacent values counting half; 1 across families.
double knob_distance(const ConfigSpace& space, size_t a, size_t b);

}  // namespace tinytune
