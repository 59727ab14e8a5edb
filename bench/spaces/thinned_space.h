// Thinning: the part of a space that is measured if the whole of it is too large.
//
// Values are left out, not points: the rest is a space of the same knobs, in which a point's
// neighbours are one knob away as in the whole space. A random sample would contain hardly any of a
// point's neighbours, so a strategy that walks could not be told from one that guesses.
#pragma once

#include <vector>

#include "schedules/config_space.h"

namespace tinytune::bench {

/// Returns a space of about `most` points or fewer: repeatedly drops every second value of the
/// longest list in the largest family. Values of the schedules in `kept` stay.
ConfigSpace thinned(const ConfigSpace& space, const std::vector<Schedule>& kept, size_t most);

}  // namespace tinytune::bench
