// Distance between two schedules by their knobs.
#pragma once

#include <cstddef>

#include "schedules/config_space.h"

namespace tinytune {

/// Returns the share of knobs in which two points differ; adjacent values count half. 1 if they are
/// of different families.
double knob_distance(const ConfigSpace& space, size_t a, size_t b);

}  // namespace tinytune
