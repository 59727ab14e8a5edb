// A line of bars whose heights show numbers: "█▆▅▅▃▁".
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tinytune {

/// Draws at most `width` bars, sampled evenly from `values`; the lowest is the smallest value's.
/// Empty for fewer than two values; flat if all are equal.
std::string sparkline(std::span<const double> values, size_t width);

}  // namespace tinytune
