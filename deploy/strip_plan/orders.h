// How a network's layers are ordered and cut into strips, so that an arena is enough.
//
// Groups of strips are found in the model's order, and in the one with early shortcuts where that
// is another (executed_graph.h); which of the two takes fewer cycles is estimated as the groups
// are (planner.h). The estimate only ranks: whoever can run networks measures the few that it
// is asked for (autotune.h).
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

/// Whether the input may arrive in rows. kUnsupported: why not.
Status streams_rows(const IntegerNetwork& network, const NetworkOptions& options);

/// The operators that compute with the frames that arrive: as many from the first one on as can.
struct FramesGroup {
  StripGroup group;
  std::string why_no_longer;  ///< the operator behind it
};
/// kUnsupported: why not even the first one.
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
  /// With rows that arrive, the first group is where they do: streams_rows() is asked before.
  /// `constants_in_flash`: as KernelLosses'.
  StripOrders(const IntegerNetwork& network, const NetworkOptions& options, const Device& device,
              InputArrival input = InputArrival::kWhole,
              std::optional<bool> constants_in_flash = {});
  StripOrders(const StripOrders&) = delete;
  StripOrders& operator=(const StripOrders&) = delete;

  /// The plan with the fewest extra cycles whose tensors and windows fit; nothing where none do.
  std::optional<StripPlan> within(uint64_t arena_bytes, const SlowWhenLean& slow = {}) const;

  /// Plans of within() for limits from the smallest arena to this one, those with the fewest extra
  /// cycles first: what a smaller limit would get is among what a larger one may.
  std::vector<StripPlan> up_to(uint64_t arena_bytes, const SlowWhenLean& slow = {}) const;

  /// The smallest arena of tensors and windows that was found.
  uint64_t smallest_arena() const;

 private:
  struct Estimated {
    StripPlan plan;
    uint64_t extra_cycles = 0;
  };
  std::optional<Estimated> best_within(uint64_t arena_bytes, const SlowWhenLean& slow) const;

  KernelLosses losses_;
  std::vector<StripPlanner> orders_;  // the model's, and with early shortcuts if that is another
};

}  // namespace tinytune
