// The common part of templates with RVV: supported layers, the space of knobs, the schedules of
// untuned layers, and the packing of constants.
//
// A Row provides a template's own parts: its name, the kind of layers, the table of knobs, the cost
// of a plan, and the knobs that are chosen by cost. A Plan provides its legality, the shape of its
// tiles and the scratch; a Tile packs constants; a Writer writes the kernel.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "templates/isa/rvv.h"
#include "templates/kernel_template.h"
#include "templates/lane_shifts.h"
#include "templates/rvv/rvv_knobs.h"
#include "templates/rvv/rvv_weights.h"

namespace tinytune {

template <typename Row, typename Plan, typename Tile, typename Writer>
struct RvvTemplate {
  /// Returns the cheapest schedule with the values in `instead`.
  static std::optional<Schedule> usual(const Workload& w, const Device& device,
                                       const std::map<std::string, std::string>& instead) {
    return CheapestPoint(Row::table(w, device), Row::chosen_knobs(device))
        .template find<Plan>(w, instead, [&](const Workload& layer, const Plan& plan) {
          return Row::cost(layer, plan, device);
        });
  }

  static bool supports(const Workload& w, const Device& device) {
    return has_rvv(device.target) && Row::takes(w) && w.batch == 1 &&
           w.rounding == Rounding::kTwice && Plan(w, Row::table(w, device).usual()).legal(w);
  }

  static ConfigSpace space(const Workload& w, const Device& device) {
    return Row::table(w, device).template legal_space<Plan>(w);
  }

  static Schedule default_schedule(const Workload& w, const Device& device) {
    return *usual(w, device, {});
  }

  static std::vector<Schedule> fallback_schedules(const Workload& w, const Device& device) {
    // For constants that do not permit the weights or shifts of the default.
    const std::string usual_text = to_text(default_schedule(w, device));
    std::vector<Schedule> schedules;
    const auto add = [&](const std::map<std::string, std::string>& instead) {
      const auto schedule = usual(w, device, instead);
      if (!schedule || to_text(*schedule) == usual_text) return;
      for (const Schedule& other : schedules)
        if (to_text(other) == to_text(*schedule)) return;
      schedules.push_back(*schedule);
    };
    add({{"weights", Row::kPlainWeights}});
    add({{"shifts", "both"}});
    add({{"shifts", "both"}, {"weights", Row::kPlainWeights}});
    return schedules;
  }

  static Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                                  const Schedule& schedule) {
    const Plan plan(w, schedule);
    TT_TRY(check_shifts(w, data, plan.shape.shifts_left));
    if (adds_pairs(schedule) && !RvvWeights::pairs_fit(w, data))
      return Error(ErrorCode::kUnsupported, "products of two taps may exceed 16 bits");
    return Tile(w, plan.shape).pack(data);
  }

  static std::function<bool(const Schedule&)> may_pack(const Workload& w, const LayerData& data) {
    return [shifts = may_shift_as_asked(w, data), pairs = RvvWeights::pairs_fit(w, data)](
               const Schedule& s) { return shifts(s) && (pairs || !adds_pairs(s)); };
  }

  static KernelTemplate row(decltype(KernelTemplate::describe) describe) {
    return {.name = Row::kName,
            .supports = supports,
            .space = space,
            .default_schedule = default_schedule,
            .fallback_schedules = fallback_schedules,
            .describe = describe,
            .pack = pack,
            .may_pack = may_pack,
            .scratch_bytes = scratch_of<Plan>,
            .lower = lower_as_text<Plan, Writer>};
  }
};

}  // namespace tinytune
