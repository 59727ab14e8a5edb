// Neighbours of a point: points that differ from it in one knob.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedules/config_space.h"

namespace tinytune {

/// Returns the points that differ from `point` in one knob, with any other value; ordered by knob.
std::vector<size_t> one_knob_away(const ConfigSpace& space, size_t point);

/// Returns only those whose value is `steps` positions before or behind in the knob's list.
std::vector<size_t> steps_away(const ConfigSpace& space, size_t point, int steps);

}  // namespace tinytune
