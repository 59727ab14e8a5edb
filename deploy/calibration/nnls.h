// Least squares whose answer has no negative number: the active-set method of Lawson and Hanson
// (Solving Least Squares Problems, 1974, chapter 23), dense, for a handful of unknowns.
//
// A wait cannot be less than nothing. Cutting negative answers off afterwards would leave the other
// unknowns where they were only right beside them.
#pragma once

#include <span>
#include <vector>

namespace tinytune {

/// One equation: the sum of factor times unknown is to be `value`.
struct Equation {
  std::vector<double> factors;  ///< one for each unknown
  double value = 0;
};

/// The unknowns. Those that no equation has a factor for are 0.
std::vector<double> fit_nonnegative(std::span<const Equation> equations, size_t unknowns);

}  // namespace tinytune
