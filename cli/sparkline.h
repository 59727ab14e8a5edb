// A line of bars as high as numbers are: "█▆▅▅▃▁".
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tinytune {

/// At most `width` bars, evenly taken from `values`; the lowest one is the smallest value's. Empty
/// for fewer than two values, and flat where all are equal.
std::string sparkline(std::span<const double> values, size_t width);

}  // namespace tinytune
