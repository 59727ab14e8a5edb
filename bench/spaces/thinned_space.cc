#include "bench/spaces/thinned_space.h"

#include <algorithm>
#include <set>
#include <string>

namespace tinytune::bench {
namespace {

class Thinning {
 public:
  Thinning(const ConfigSpace& space, const std::vector<Schedule>& kept) : space_(space) {
    for (size_t f = 0; f < space.family_count(); ++f) {
      const ConfigSpace::Family& family = space.family(f);
      left_.push_back(family.knobs);
      needed_.emplace_back(family.knobs.size());
      for (const Schedule& s : kept)
        for (size_t k = 0; s.template_name() == family.template_name && k < family.knobs.size();
             ++k)
          needed_[f][k].insert(s.get(family.knobs[k].name));
    }
    count();
  }

  bool at_most(size_t most) const {
    size_t sum = 0;
    for (const size_t points : points_) sum += points;
    return sum <= most;
  }

  /// Returns false if nothing can be left out any more.
  bool halve() {
    std::vector<size_t> families(points_.size());
    for (size_t f = 0; f < families.size(); ++f) families[f] = f;
    std::stable_sort(families.begin(), families.end(),
                     [&](size_t a, size_t b) { return points_[a] > points_[b]; });
    for (const size_t f : families) {
      std::vector<size_t> knobs(left_[f].size());
      for (size_t k = 0; k < knobs.size(); ++k) knobs[k] = k;
      std::stable_sort(knobs.begin(), knobs.end(), [&](size_t a, size_t b) {
        return left_[f][a].values.size() > left_[f][b].values.size();
      });
      for (const size_t k : knobs)
        if (halve(left_[f][k].values, needed_[f][k])) {
          count();
          return true;
        }
    }
    return false;
  }

  ConfigSpace space() const {
    ConfigSpace all;
    for (size_t f = 0; f < left_.size(); ++f) {
      if (points_[f] == 0) continue;
      ConfigSpace::Family family = space_.family(f);
      family.knobs = left_[f];
      ConfigSpace one;
      one.add(std::move(family), [&](const Schedule& s) { return space_.find(s).has_value(); });
      all.append(one);
    }
    return all;
  }

 private:
  static bool halve(std::vector<std::string>& values, const std::set<std::string>& needed) {
    std::vector<std::string> stay;
    for (size_t v = 0; v < values.size(); ++v)
      if (v % 2 == 0 || needed.contains(values[v])) stay.push_back(values[v]);
    if (stay.size() == values.size()) return false;
    values = std::move(stay);
    return true;
  }

  void count() {
    points_.assign(left_.size(), 0);
    for (size_t p = 0; p < space_.size(); ++p) {
      const size_t f = space_.family_of(p);
      const auto& at = space_.coordinates(p);
      bool stays = true;
      for (size_t k = 0; k < at.size() && stays; ++k) {
        const auto& values = left_[f][k].values;
        stays = std::find(values.begin(), values.end(), space_.family(f).knobs[k].values[at[k]]) !=
                values.end();
      }
      points_[f] += stays ? 1 : 0;
    }
  }

  const ConfigSpace& space_;
  std::vector<std::vector<Knob>> left_;                     // of each family
  std::vector<std::vector<std::set<std::string>>> needed_;  // of each family's knobs
  std::vector<size_t> points_;                              // of each family
};

}  // namespace

ConfigSpace thinned(const ConfigSpace& space, const std::vector<Schedule>& kept, size_t most) {
  Thinning thinning(space, kept);
  while (!thinning.at_most(most) && thinning.halve()) {
  }
  return thinning.space();
}

}  // namespace tinytune::bench
