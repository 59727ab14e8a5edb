#include "cost_model/same_values.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tinytune {
namespace {

/// Returns the knob in which two points of one family differ, if it is the only one.
std::optional<size_t> only_difference(const ConfigSpace& space, size_t a, size_t b) {
  const auto &left = space.coordinates(a), &right = space.coordinates(b);
  const auto at = std::mismatch(left.begin(), left.end(), right.begin());
  if (at.first == left.end() || !std::equal(at.first + 1, left.end(), at.second + 1))
    return std::nullopt;
  return static_cast<size_t>(at.first - left.begin());
}

}  // namespace

SameValues::SameValues(const ConfigSpace& space) : space_(space), first_(space.family_count()) {
  for (size_t f = 0; f < first_.size(); ++f)
    for (size_t k = 0; k < space.family(f).knobs.size(); ++k) {
      first_[f].emplace_back(space.family(f).knobs[k].values.size());
      forget(f, k);
    }
}

void SameValues::forget(size_t family, size_t knob) {
  std::iota(first_[family][knob].begin(), first_[family][knob].end(), size_t{0});
}

void SameValues::join(size_t family, size_t knob, size_t a, size_t b) {
  std::vector<size_t>& first = first_[family][knob];
  const auto [kept, gone] = std::minmax(first[a], first[b]);
  const size_t to = kept, from = gone;
  std::replace(first.begin(), first.end(), from, to);
}

// At least one of the knobs in which the points differ has an effect, so all of them are reset.
void SameValues::part(size_t a, size_t b) {
  const auto &left = space_.coordinates(a), &right = space_.coordinates(b);
  for (size_t k = 0; k < left.size(); ++k)
    if (left[k] != right[k]) forget(space_.family_of(a), k);
}

bool SameValues::are_one(size_t a, size_t b) const {
  const auto &left = space_.coordinates(a), &right = space_.coordinates(b);
  const auto& first = first_[space_.family_of(a)];
  for (size_t k = 0; k < left.size(); ++k)
    if (first[k][left[k]] != first[k][right[k]]) return false;
  return true;
}

void SameValues::find(std::span<const KnobSample> samples) {
  for (size_t f = 0; f < first_.size(); ++f)
    for (size_t k = 0; k < first_[f].size(); ++k) forget(f, k);
  double largest = -1e300;
  for (const KnobSample& sample : samples) largest = std::max(largest, sample.value);
  const auto for_each_pair = [&](auto&& take) {
    for (size_t i = 0; i < samples.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (space_.family_of(samples[i].point) == space_.family_of(samples[j].point))
          take(samples[i], samples[j]);
  };
  for_each_pair([&](const KnobSample& a, const KnobSample& b) {
    if (a.value != b.value || a.value == largest) return;
    const auto knob = only_difference(space_, a.point, b.point);
    if (knob)
      join(space_.family_of(a.point), *knob, space_.coordinates(a.point)[*knob],
           space_.coordinates(b.point)[*knob]);
  });
  for_each_pair([&](const KnobSample& a, const KnobSample& b) {
    if (a.value != b.value && are_one(a.point, b.point)) part(a.point, b.point);
  });
}

}  // namespace tinytune
