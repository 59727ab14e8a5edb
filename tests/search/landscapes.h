// Made-up tuning tasks with a known cost for every point, to test and time strategies on.
//
// Costs are computed independently of the features, with cliffs and noise that no feature shows, so
// that a model can learn some of them but never all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace tinytune::landscapes {

/// An outcome kOk with these cycles.
Observation ran(size_t point, double cycles);

struct Landscape {
  std::string name;
  ConfigSpace space;
  std::function<LoopNest(size_t)> describe;
  std::vector<Observation> outcomes;  ///< of every point
  double optimum = 0;

  SearchProblem problem(uint64_t seed, std::optional<size_t> default_point = {}) const {
    return {.space = &space, .describe = describe, .default_point = default_point, .seed = seed};
  }
};

/// Shape of a pointwise convolution.
struct Shape {
  int channels = 64, pixels = 120;
};

/// A tiled pointwise convolution with a register cliff and loop overheads. `noise`: half-width of
/// the part that depends on the point's hash alone; `failing`: share of points that do not run.
Landscape tiled_convolution(double noise, double failing, const Shape& shape = {});

/// Knobs that the loop nest does not show: a model can learn from their values only.
Landscape blind_knobs();

/// Tiled spaces of 124,416 and of 1,119,744 points.
Landscape large_space();
Landscape huge_space();

/// Exactly 200 points.
Landscape two_hundred_points();

/// Trials until a point within `shares[i]` of the optimum was observed, for each i; the size of the
/// space plus one where that never happened. `in_flight`: how many proposals run ahead of outcomes.
std::vector<size_t> trials_until(Strategy& strategy, const Landscape& landscape, size_t in_flight,
                                 const std::vector<double>& shares);

/// Trials that `strategy` needs to get a task within 5 %, after `first` trials of a similar task
/// with which it shares the model.
size_t trials_of_second_task(const std::string& strategy, size_t first, uint64_t seed);

}  // namespace tinytune::landscapes
