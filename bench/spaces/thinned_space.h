// The part of a space that is measured where the whole of it is too large.
//
// Values are left out and not points: what stays is a space of the same knobs, in which a point's
// neighbours are one knob away as they are in the whole. A random sample of points would hold next
// to none of a point's neighbours, and no strategy that walks could be told from one that guesses.
#pragma once

#include <vector>

#include "schedules/config_space.h"

namespace tinytune::bench {

/// At most about `most` points: again and again the longest list of values of the largest family
/// loses every second one. Values of a schedule in `kept` stay.
ConfigSpace thinned(const ConfigSpace& space, const std::vector<Schedule>& kept, size_t most);

}  // namespace tinytune::bench
