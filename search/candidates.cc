#include "search/candidates.h"

#include <cstdlib>
#include <limits>

#include "cost_model/features.h"

namespace tinytune {

CandidateRows::CandidateRows(const SearchProblem& problem) : problem_(problem) {
  columns_ = feature_names().size() + 1;  // and the family
  for (size_t f = 0; f < problem.space->family_count(); ++f) {
    first_column_.push_back(columns_);
    columns_ += problem.space->family(f).knobs.size();
  }
}

const std::vector<float>& CandidateRows::row(size_t point) {
  const auto [entry, is_new] = made_.try_emplace(point);
  if (!is_new) return entry->second;
  std::vector<float>& row = entry->second;
  row = features_of(problem_.describe(point));
  const size_t family = problem_.space->family_of(point);
  row.push_back(static_cast<float>(family));
  row.resize(columns_, std::numeric_limits<float>::quiet_NaN());
  size_t column = first_column_[family];
  for (uint16_t c : problem_.space->coordinates(point)) row[column++] = c;
  return row;
}

FeatureMatrix CandidateRows::rows(std::span<const size_t> points) {
  FeatureMatrix matrix(columns_);
  matrix.reserve(points.size());
  for (size_t point : points) matrix.add(row(point));
  return matrix;
}

std::vector<size_t> neighbours(const ConfigSpace& space, size_t point) {
  std::vector<size_t> found;
  const size_t family = space.family_of(point);
  const ConfigSpace::Coordinates& here = space.coordinates(point);
  for (size_t k = 0; k < here.size(); ++k) {
    const int values = static_cast<int>(space.family(family).knobs[k].values.size());
    for (int direction : {-1, 1}) {
      for (int at = here[k] + direction; at >= 0 && at < values; at += direction) {
        ConfigSpace::Coordinates there = here;
        there[k] = static_cast<uint16_t>(at);
        if (const auto neighbour = space.find(family, there)) {
          found.push_back(*neighbour);
          break;
        }
      }
    }
  }
  return found;
}

size_t mutated(const ConfigSpace& space, size_t point, Rng& rng) {
  const size_t family = space.family_of(point);
  const std::vector<Knob>& knobs = space.family(family).knobs;
  if (knobs.empty()) return point;
  for (int attempt = 0; attempt < 8; ++attempt) {
    ConfigSpace::Coordinates there = space.coordinates(point);
    const uint64_t changes = 1 + rng.below(3);
    for (uint64_t i = 0; i < changes; ++i) {
      const size_t k = rng.below(knobs.size());
      there[k] = static_cast<uint16_t>(rng.below(knobs[k].values.size()));
    }
    if (const auto child = space.find(family, there); child && *child != point) return *child;
  }
  return point;
}

size_t crossed(const ConfigSpace& space, size_t mother, size_t father, Rng& rng) {
  const size_t family = space.family_of(mother);
  if (space.family_of(father) != family) return mother;
  for (int attempt = 0; attempt < 4; ++attempt) {
    ConfigSpace::Coordinates there = space.coordinates(mother);
    for (size_t k = 0; k < there.size(); ++k)
      if (rng.below(2) == 1) there[k] = space.coordinates(father)[k];
    if (const auto child = space.find(family, there)) return *child;
  }
  return mother;
}

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
