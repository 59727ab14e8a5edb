// Which wide lanes (wide_lanes_nhwc.cc) a layer may have, and which an untuned one gets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/requantise.h"
#include "schedules/workload.h"
#include "templates/lanes/lane_products.h"
#include "templates/lanes/lane_words.h"
#include "templates/lanes/multiplier_parts.h"
#include "templates/lanes/staged_lanes.h"

namespace tinytune {

/// Templates: of RV32, of Thumb-1, and of Thumb-2 without the DSP extension.
inline constexpr const char* kWideLanesName = "wide_lanes_nhwc";
inline constexpr const char* kThumbLanesName = "thumb_lanes_nhwc";
inline constexpr const char* kThumb2LanesName = "thumb2_lanes_nhwc";

LaneLoop lane_loop_of(const Schedule& schedule);

struct WideLanesPlan : StagedLanes {
  LaneLoop loop;

  WideLanesPlan(const Workload& w, const Schedule& s)
      : StagedLanes{.tile = {s.get_int("oc"), s.get_int("words"), s.get_int("step")},
                    .pixels = s.get_int("pixels"),
                    .padded_reduction = (w.reduction() + tile.step - 1) / tile.step * tile.step,
                    .border = s.get("border")},
        loop(lane_loop_of(s)) {
    if (traits().sums_start_staged) start_bytes = 4 * tile.words;
  }

  const ProductIsa::Traits& traits() const { return isa_of(loop).traits(); }
  int bits() const { return LaneWords::bits(pixels, tile.words); }
  /// Of a sum and the fused requantisation's multiplier.
  UnsignedMultiply multiply() const {
    if (!traits().multiplies_high) return MultiplierParts(bits()).multiply();
    return {.bits = bits(), .left = 32 - bits()};
  }
};

/// The legal schedules.
ConfigSpace wide_lanes_space(const Workload& workload, const Device& device);

/// What an untuned layer tries, by an estimate of its instructions the cheapest first: each needs
/// fewer bits of its sums or less scratch than those before it.
std::vector<Schedule> usual_wide_lanes(const Workload& workload, const Device& device);

}  // namespace tinytune
