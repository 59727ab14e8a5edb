// A template's knobs as data: the values of each and the one for untuned layers. Space and default
// schedule are derived from one table, so both name the same knobs in the same order.
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

/// Returns whether weights stay in slow memory, which is read through a cache.
inline bool weights_wait(const Device& device) {
  return device.fast_rodata_memories.empty() &&
         !device.memory(device.rodata_memory).read_cache.empty();
}
/// Returns whether, in addition, the layer's weights exceed that cache, so that every pass over
/// them misses.
inline bool weights_wait_again(const Workload& w, const Device& device) {
  if (!weights_wait(device)) return false;
  const std::string& cache = device.memory(device.rodata_memory).read_cache;
  return std::any_of(device.caches.begin(), device.caches.end(), [&](const CacheModel& one) {
    return one.name == cache && w.weight_bytes() > int64_t{one.size_bytes};
  });
}

/// Returns whether a RISC-V core clamps with one instruction per limit (Zbb's MIN and MAX).
inline bool has_min_max(const Device& device) {
  return device.target.features.find("+zbb") != std::string::npos;
}

struct UsualKnob : Knob {
  UsualKnob(Knob knob, std::string value) : Knob(std::move(knob)), usual(std::move(value)) {}
  UsualKnob(const char* name, const std::vector<int>& values, int value)
      : UsualKnob(int_knob(name, values), std::to_string(value)) {}
  /// The usual value is the first one.
  UsualKnob(const Knob& knob) : UsualKnob(knob, knob.values.front()) {}

  std::string usual;
};

struct KnobTable {
  const char* name;  ///< of the template
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
  /// Returns whether legal_space() contains the schedule, whose knobs must be in the table's order.
  template <typename Plan>
  bool is_legal(const Workload& w, const Schedule& schedule) const {
    for (size_t k = 0; k < knobs.size(); ++k) {
      const std::vector<std::string>& values = knobs[k].values;
      if (std::find(values.begin(), values.end(), schedule.knobs()[k].second) == values.end())
        return false;
    }
    return Plan(w, schedule).legal(w);
  }
  /// Returns the schedule of usual values, except for knobs in `instead`; its other names are
  /// ignored.
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
