// Ways to break what was generated, each as a printer or a packer that is wrong would have written
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/random_graphs/trial.h"

namespace tinytune::bench {

/// The first whose name ends so, or null.
GeneratedFile* file_ending(GeneratedNetwork& network, const std::string& ending);

/// Everywhere in the file; false where it does not occur. With kernels of `family`, if given.
Damage replacing(std::string ending, std::string from, std::string to, std::string family = "");

using Numbers = std::vector<int64_t>;
using Change = std::function<bool(Numbers&)>;

/// Breaks `constant` of the first kernel whose template's name starts with `family`, and in which
/// `change` finds anything to break.
Damage in_packed(std::string family, std::string constant, Change change);

/// The multiplier that stands at `at`.
Change halve(size_t at);
bool swap_weights(Numbers& weights);

}  // namespace tinytune::bench
