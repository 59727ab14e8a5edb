// Orders a network's layers and cuts them into strips, so that they fit an arena.
//
// Groups of strips are planned for the model's order of operators, and for the order with early
// shortcuts if that differs (executed_graph.h). The cycles of both are estimated like those of
// groups (planner.h). The estimate only ranks; if networks can run, a few are measured
// (autotune.h).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/networks/network.h"
#include "deploy/selection/kernel_losses.h"
#include "deploy/strip_plan/planner.h"
#include "devices/device.h"
#include "models/integer_network.h"
#include "tinytune/deploy.h"
#include "tinytune/result.h"

namespace tinytune {

/// Checks whether the input may arrive in rows. kUnsupported: why not.
Status streams_rows(const IntegerNetwork& network, const NetworkOptions& options);

/// The operators that compute on arriving frames: the longest possible sequence from the first one.
struct FramesGroup {
  StripGroup group;
  std::string why_no_longer;  ///< why the next operator is not included
};
/// Returns that group. kUnsupported: why not even the first operator can.
Result<FramesGroup> group_of_frames(const IntegerNetwork& network, const NetworkOptions& options);

struct StripPlan {
  bool early_shortcuts = false;
  std::vector<StripGroup> groups;  ///< empty: layer by layer

  void apply_to(NetworkOptions& options) const {
    options.early_shortcuts = early_shortcuts;
    options.strips = groups;
  }

  auto operator<=>(const StripPlan&) const = default;
};

class StripOrders {
 public:
  /// If rows arrive, the first group reads them; streams_rows() must have succeeded.
  /// `constants_in_flash`: as for KernelLosses.
  StripOrders(const IntegerNetwork& network, const NetworkOptions& options, const Device& device,
              InputArrival input = InputArrival::kWhole,
              std::optional<bool> constants_in_flash = {});
  StripOrders(const StripOrders&) = delete;
  StripOrders& operator=(const StripOrders&) = delete;

  /// Returns the plan with the fewest extra cycles whose tensors and windows fit; nothing if none
  /// do.
  std::optional<StripPlan> within(uint64_t arena_bytes, const SlowWhenLean& slow = {}) const;

  /// Returns the plans of within() for limits from the smallest arena to this one, those with the
  /// fewest extra cycles first. So the plans for a smaller limit are among those for a larger one.
  std::vector<StripPlan> up_to(uint64_t arena_bytes, const SlowWhenLean& slow = {}) const;

  /// Returns the smallest arena of tensors and windows that was found.
  uint64_t smallest_arena() const;

 private:
  struct Estimated {
    StripPlan plan;
    uint64_t extra_cycles = 0;
  };
  std::optional<Estimated> best_within(uint64_t arena_bytes, const SlowWhenLean& slow) const;

  KernelLosses losses_;
  std::vector<StripPlanner> orders_;  // the model's, and with early shortcuts if that differs
};

}  // namespace tinytune
