// "Did you mean …?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tinytune {

/// The candidate that `word` is most likely a slip of the finger for; empty where none is near.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

}  // namespace tinytune
