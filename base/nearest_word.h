// "Did you mean …?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tinytune {

/// Returns the candidate of which `word` is most likely a typo; empty if none is close.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

}  // namespace tinytune
