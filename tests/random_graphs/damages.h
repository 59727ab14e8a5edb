// Ways to break generated files, each an error that a wrong printer or packer would make.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/random_graphs/trial.h"

namespace tinytune::bench {

/// Returns the first file whose name ends with `ending`, or null.
GeneratedFile* file_ending(GeneratedNetwork& network, const std::string& ending);

/// Replaces `from` everywhere in the file whose name ends with `ending`, if it occurs there. Draws
/// kernels of `family`, if given.
Damage replacing(std::string ending, std::string from, std::string to, std::string family = "");

using Numbers = std::vector<int64_t>;
using Change = std::function<bool(Numbers&)>;

/// Breaks `constant` of the first kernel whose template's name starts with `family` and in which
/// `change` finds something to break.
Damage in_packed(std::string family, std::string constant, Change change);

/// Halves the number at index `at`.
Change halve(size_t at);
bool swap_weights(Numbers& weights);

}  // namespace tinytune::bench
