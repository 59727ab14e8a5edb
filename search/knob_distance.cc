#include "search/knob_distance.h"

#include <cstdlib>

namespace tinytune {

double knob_distance(const ConfigSpace& space, size_t a, size_t b) {
  if (space.family_of(a) != space.family_of(b)) return 1;
  const ConfigSpace::Coordinates &left = space.coordinates(a), &right = space.coordinates(b);
  if (left.empty()) return 0;
  double sum = 0;
  for (size_t k = 0; k < left.size(); ++k) {
    const int gap = std::abs(int{left[k]} - int{right[k]});
    sum += gap == 0 ? 0 : gap == 1 ? 0.5 : 1;
  }
  return sum / static_cast<double>(left.size());
}

}  // namespace tinytune
