// A template's knobs as data: what each may be, and what an untuned layer gets. Space and default
// schedule are read from one table, so both name the same knobs in the same order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/workload.h"

namespace tinytune {

/// Whether weights stay where reading them takes longer.
inline bool weights_wait(const Device& device) {
  return device.fast_rodata_memories.empty() &&
         !device.memory(device.rodata_memory).read_cache.empty();
}
/// Whether a layer's weights wait each time that they are read: the cache does not hold them.
inline bool weights_wait_again(const Workload& w, const Device& device) {
  if (!weights_wait(device)) return false;
  const std::string& cache = device.memory(device.rodata_memory).read_cache;
  return std::any_of(device.caches.begin(), device.caches.end(), [&](const CacheModel& one) {
    return one.name == cache && w.weight_bytes() > int64_t{one.size_bytes};
  });
}

/// Whether clamps take an instruction a limit, without a branch, on a RISC-V core.
inline bool has_min_max(const Device& device) {
  return device.target.features.find("+zbb") != std::string::npos;
}

struct UsualKnob : Knob {
  UsualKnob(Knob knob, std::string value) : Knob(std::move(knob)), usual(std::move(value)) {}
  UsualKnob(const char* name, const std::vector<int>& values, int value)
      : UsualKnob(int_knob(name, values), std::to_string(value)) {}
  /// Usually its first value.
  UsualKnob(const Knob& knob) : UsualKnob(knob, knob.values.front()) {}

  std::string usual;
};

struct KnobTable {
  const char* name;  ///< the template's
  int version;
  std::vector<UsualKnob> knobs;

  ConfigSpace space(const ConfigSpace::Constraint& legal) const {
    return {{name, version, {knobs.begin(), knobs.end()}}, legal};
  }
  /// The points whose Plan(workload, schedule) is legal.
  template <typename Plan>
  ConfigSpace legal_space(const Workload& w) const {
    return space([&](const Schedule& s) { return Plan(w, s).legal(w); });
  }
  /// Whether legal_space() has this schedule of the table's knobs, in their order.
  template <typename Plan>
  bool is_legal(const Workload& w, const Schedule& schedule) const {
    for (size_t k = 0; k < knobs.size(); ++k) {
      const std::vector<std::string>& values = knobs[k].values;
      if (std::find(values.begin(), values.end(), schedule.knobs()[k].second) == values.end())
        return false;
    }
    return Plan(w, schedule).legal(w);
  }
  /// With these values instead, of knobs that the table has.
  Schedule usual(const std::map<std::string, std::string>& instead = {}) const {
    std::vector<std::pair<std::string, std::string>> values;
    for (const UsualKnob& knob : knobs) {
      const auto other = instead.find(knob.name);
      values.emplace_back(knob.name, other == instead.end() ? knob.usual : other->second);
    }
    return Schedule(name, version, std::move(values));
  }
};

}  // namespace tinytune
