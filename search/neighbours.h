// The points that are one knob away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedules/config_space.h"

namespace tinytune {

/// Those of the space that differ from `point` in one knob, whatever its value; knob by knob.
std::vector<size_t> one_knob_away(const ConfigSpace& space, size_t point);

/// Of these only the ones whose value stands `steps` places before or behind in the knob's list.
std::vector<size_t> steps_away(const ConfigSpace& space, size_t point, int steps);

}  // namespace tinytune
