// How far apart two schedules are, as their knobs say.
#pragma once

#include <cstddef>

#include "schedules/config_space.h"

namespace tinytune {

/// The share of knobs in which two points differ, adjacent values counting half; 1 across families.
double knob_distance(const ConfigSpace& space, size_t a, size_t b);

}  // namespace tinytune
