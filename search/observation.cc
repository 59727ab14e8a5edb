#include "search/observation.h"

namespace tinytune {

std::optional<double> Observation::cycles() const {
  if (outcome != Outcome::kOk || samples.empty()) return std::nullopt;
  const uint64_t median = median_of(samples);
  if (median == 0) return std::nullopt;
  return static_cast<double>(median);
}

}  // namespace tinytune
