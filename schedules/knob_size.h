// Numeric size of a knob's value, on a log scale: tiles and unrolls matter by their doublings.
#pragma once

#include <optional>
#include <string>

namespace tinytune {

/// Returns log2(1 + number) for a number that is not negative; nullopt for a word.
std::optional<double> knob_size(const std::string& value);

}  // namespace tinytune
