// The legal schedules of one task, enumerated.
//
// The cross product of every template's knobs is filtered here, once, by the template's constraint,
// so that a strategy can propose only legal points and sampling is exactly uniform. Spaces have
// some thousands of points; enumeration takes milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedules/schedule.h"

namespace tinytune {

struct Knob {
  std::string name;
  std::vector<std::string> values;  ///< in a natural order: neighbours are similar
};

Knob int_knob(std::string name, const std::vector<int>& values);

/// A union of families; a family is one template's knobs and its legal points.
class ConfigSpace {
 public:
  /// Coordinates are indices into each knob's values.
  using Coordinates = std::vector<uint16_t>;
  using Constraint = std::function<bool(const Schedule&)>;

  struct Family {
    std::string template_name;
    int version;
    std::vector<Knob> knobs;
  };

  ConfigSpace() = default;
  /// Makes a space of one family.
  ConfigSpace(Family family, const Constraint& legal) { add(std::move(family), legal); }

  /// Appends every point of `family` that `legal` accepts, the first knob varying slowest.
  void add(Family family, const Constraint& legal);

  /// Appends another space's families and points in order.
  void append(const ConfigSpace& other);

  /// Returns the points that `keep` accepts, in order. All families are kept, so that their numbers
  /// do not change.
  ConfigSpace filtered(const Constraint& keep) const;

  size_t size() const { return points_.size(); }
  size_t family_count() const { return families_.size(); }
  const Family& family(size_t f) const { return families_[f]; }
  size_t family_of(size_t point) const { return points_[point].family; }
  const Coordinates& coordinates(size_t point) const { return points_[point].at; }

  Schedule schedule(size_t point) const;
  /// Returns the point of a schedule, or nullopt if it is not in the space (other version,
  /// illegal).
  std::optional<size_t> find(const Schedule& schedule) const;
  std::optional<size_t> find(size_t family, const Coordinates& at) const;

 private:
  struct Point {
    uint32_t family;
    Coordinates at;
  };

  std::vector<Family> families_;
  std::vector<Point> points_;  // sorted by family and coordinates, for find()'s binary search
};

}  // namespace tinytune
