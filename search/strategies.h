// The constructors behind make_strategy()'s table, one per file.
#pragma once

#include <memory>

#include "search/strategy.h"

namespace tinytune {

/// Guided by a ranking model of the loop nests.
std::unique_ptr<Strategy> make_xgb(SearchProblem problem);

/// Uniform without repetition.
std::unique_ptr<Strategy> make_random(SearchProblem problem);

/// Evenly spaced over the enumeration, coarse to fine; the seed does not matter.
std::unique_ptr<Strategy> make_grid(SearchProblem problem);

}  // namespace tinytune
