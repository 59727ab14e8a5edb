// The constructors in make_strategy()'s table, each defined in a file of its own.
#pragma once

#include <memory>

#include "search/strategy.h"

namespace tinytune {

/// Guided by a ranking model of the loop nests.
std::unique_ptr<Strategy> make_xgb(SearchProblem problem);

/// Proposes the largest expected improvement, from the task's own trials and hints of other tasks.
std::unique_ptr<Strategy> make_expected_improvement(SearchProblem problem);

/// Simulated annealing on the same model as make_xgb(), in AutoTVM's batches.
std::unique_ptr<Strategy> make_annealing(SearchProblem problem);

/// Coordinate descent from the default point.
std::unique_ptr<Strategy> make_droplet(SearchProblem problem);

/// Crossover and mutation of the fittest.
std::unique_ptr<Strategy> make_genetic(SearchProblem problem);

/// Uniformly random without repetition.
std::unique_ptr<Strategy> make_random(SearchProblem problem);

/// Evenly spaced over the enumeration, coarse to fine; the seed does not matter.
std::unique_ptr<Strategy> make_grid(SearchProblem problem);

}  // namespace tinytune
