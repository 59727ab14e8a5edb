// Knobs of kernels with RVV, and how untuned layers choose among them: by the least estimated cost
// over the values of some knobs. The other knobs have their usual values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "templates/usual_knobs.h"

namespace tinytune {

/// The device's VLEN: a kernel is written for one.
inline UsualKnob vlen_knob(const Device& device) {
  const auto bits = static_cast<int>(device.target.vector_bits);
  return {"vlen", {bits}, bits};
}
/// Returns whether the products of two taps are added in 16 bits before the sums (rvv_weights.h).
inline bool adds_pairs(const Schedule& s) {
  return s.has("weights") && s.get("weights").ends_with("pairs");
}
/// Returns whether such a pair is added to sums while the next one is multiplied (rvv_tile.h).
inline bool adds_pairs_late(const Schedule& s) { return s.get("weights") == "late_pairs"; }
/// Returns whether the timing model has the duration of vectors; else instructions are counted.
inline bool has_pipes(const Device& device) { return device.timing.model == "vector"; }

/// Registers for 32 bits of every lane.
inline UsualKnob words_knob() { return {"words", {1, 2, 4, 8}, 1}; }

inline std::vector<std::string> kernel_parameters(int64_t scratch_bytes) {
  if (scratch_bytes > 0) return {"input", "weights", "params", "scratch", "output"};
  return {"input", "weights", "params", "output"};
}

class CheapestPoint {
 public:
  /// `varied`: knobs of the table of whose values all combinations are tried.
  CheapestPoint(KnobTable table, std::vector<std::string> varied)
      : table_(std::move(table)), varied_(std::move(varied)) {}

  /// Returns the legal point of the least `cost(workload, plan)`. Knobs in `instead` have the value
  /// there and are not varied.
  template <typename Plan, typename Cost>
  std::optional<Schedule> find(const Workload& w, std::map<std::string, std::string> instead,
                               const Cost& cost) {
    std::erase_if(varied_, [&](const std::string& knob) { return instead.contains(knob); });
    std::optional<Schedule> best;
    int64_t least = 0;
    cross(0, instead, [&](const Schedule& s) {
      const Plan plan(w, s);
      if (!plan.legal(w)) return;
      const int64_t takes = cost(w, plan);
      if (!best || takes < least) best = s, least = takes;
    });
    return best;
  }

 private:
  template <typename Visit>
  void cross(size_t depth, std::map<std::string, std::string>& values, const Visit& visit) const {
    if (depth == varied_.size()) return visit(table_.usual(values));
    for (const UsualKnob& knob : table_.knobs) {
      if (knob.name != varied_[depth]) continue;
      for (const std::string& value : knob.values) {
        values[knob.name] = value;
        cross(depth + 1, values, visit);
      }
    }
  }

  const KnobTable table_;
  std::vector<std::string> varied_;
};

}  // namespace tinytune
