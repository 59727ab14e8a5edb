#include "search/neighbours.h"

namespace tinytune {

std::vector<size_t> one_knob_away(const ConfigSpace& space, size_t point) {
  std::vector<size_t> found;
  const size_t family = space.family_of(point);
  ConfigSpace::Coordinates at = space.coordinates(point);
  for (size_t k = 0; k < at.size(); ++k) {
    const uint16_t own = at[k];
    for (at[k] = 0; at[k] < space.family(family).knobs[k].values.size(); ++at[k])
      if (at[k] != own)
        if (const auto other = space.find(family, at)) found.push_back(*other);
    at[k] = own;
  }
  return found;
}

std::vector<size_t> steps_away(const ConfigSpace& space, size_t point, int steps) {
  std::vector<size_t> found;
  const size_t family = space.family_of(point);
  ConfigSpace::Coordinates at = space.coordinates(point);
  for (size_t k = 0; k < at.size(); ++k) {
    const int own = at[k], values = static_cast<int>(space.family(family).knobs[k].values.size());
    for (const int value : {own - steps, own + steps}) {
      if (value < 0 || value >= values) continue;
      at[k] = static_cast<uint16_t>(value);
      if (const auto other = space.find(family, at)) found.push_back(*other);
    }
    at[k] = static_cast<uint16_t>(own);
  }
  return found;
}

}  // namespace tinytune
