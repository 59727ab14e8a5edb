// Plans strips for whole tensors that do not fit, without building or running anything.
//
// `tune` must know which layers run in strips before it measures their kernels, and a refusal must
// name a limit that works. Both need any plan that fits together with its kernels' scratch; plans
// within the limit and within somewhat smaller limits are checked. A deployment instead runs
// several plans and takes the fastest (autotune.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "codegen/networks/network.h"
#include "deploy/selection/arena_limit.h"
#include "deploy/strip_plan/orders.h"
#include "devices/device.h"
#include "models/integer_network.h"
#include "records/records.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns the limit of the options on the arena, at most the device's data memory.
ArenaAllowance room_for_arena(const MemoryLimits& limits, const Device& device);

class StripFallback {
 public:
  /// Bytes of a limit that plans leave for scratch, tried in this order.
  static constexpr uint64_t kLeftFree[] = {0, 384, 768, 1536, 3072};

  /// The arguments must outlive this.
  StripFallback(const IntegerNetwork& network, const Device& device, const Records& records,
                const NetworkOptions& options)
      : network_(network), device_(device), records_(records), options_(options) {}

  struct Fitting {
    StripPlan plan;
    uint64_t arena_bytes = 0;
  };

  /// Returns the plan if it fits the arena with its kernels' scratch.
  std::optional<Fitting> with(const StripPlan& plan, uint64_t arena_bytes) const;

  /// Returns the network layer by layer, without strips, if it fits.
  std::optional<Fitting> whole_within(uint64_t arena_bytes) const;

  /// Returns whole_within() if that fits, else the first plan that fits; nothing if none does.
  std::optional<Fitting> within(uint64_t arena_bytes) const;

  /// Returns the plan of the smallest arena for which within() finds one; for a few bytes less it
  /// finds none. Nothing if strips are not possible and the network does not fit layer by layer.
  std::optional<Fitting> smallest() const;

  /// Returns the error that names `allowance` and the smallest achievable arena.
  Error refused(const ArenaAllowance& allowance) const;

  /// Returns the search for strips; the network must be able to run in strips.
  const StripOrders& search() const;

 private:
  const IntegerNetwork& network_;
  const Device& device_;
  const Records& records_;
  const NetworkOptions& options_;
  mutable std::optional<StripOrders> search_ = {};  // lazy, as it is expensive
};

}  // namespace tinytune
