// How large a knob's value is, where it is a number: tiles and unrolls matter by their doublings.
#pragma once

#include <optional>
#include <string>

namespace tinytune {

/// log2(1 + number) of a number that is not negative; nothing of a word.
std::optional<double> knob_size(const std::string& value);

}  // namespace tinytune
