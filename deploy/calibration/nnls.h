// Non-negative least squares by the active-set method of Lawson and Hanson (Solving Least Squares
// Problems, 1974, chapter 23), dense, for a handful of unknowns.
//
// Waits cannot be negative. Clamping negative results of an unconstrained fit would leave the other
// unknowns at values that are optimal only together with the negative ones.
#pragma once

#include <span>
#include <vector>

namespace tinytune {

/// One equation: the sum of factors times unknowns should equal `value`.
struct Equation {
  std::vector<double> factors;  ///< one for each unknown
  double value = 0;
};

/// Returns the unknowns. Those without a factor in any equation are 0.
std::vector<double> fit_nonnegative(std::span<const Equation> equations, size_t unknowns);

}  // namespace tinytune
