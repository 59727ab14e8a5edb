// Strips where whole tensors do not fit, found by arithmetic: nothing is built or run.
//
// `tune` has to know which layers run in strips before it measures a kernel of them, and who is
// refused wants to hear of a limit that works. Both ask whether a plan fits once its kernels have
// their scratch, of plans within the limit and within some bytes less: any that fits will do. A
// deployment runs several and takes the fastest (autotune.h).
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

/// What the options allow of the device's data memory, which is the limit where they say nothing.
ArenaAllowance room_for_arena(const MemoryLimits& limits, const Device& device);

class StripFallback {
 public:
  /// Bytes of a limit that plans leave to scratch, tried in this order.
  static constexpr uint64_t kLeftFree[] = {0, 384, 768, 1536, 3072};

  /// All outlive it.
  StripFallback(const IntegerNetwork& network, const Device& device, const Records& records,
                const NetworkOptions& options)
      : network_(network), device_(device), records_(records), options_(options) {}

  struct Fitting {
    StripPlan plan;
    uint64_t arena_bytes = 0;
  };

  /// That plan, if its kernels leave it within the limit.
  std::optional<Fitting> with(const StripPlan& plan, uint64_t arena_bytes) const;

  /// Layer by layer.
  std::optional<Fitting> whole_within(uint64_t arena_bytes) const;

  /// Layer by layer if that fits, else the first of the plans that does; nothing where none does.
  std::optional<Fitting> within(uint64_t arena_bytes) const;

  /// The smallest arena that within() finds something for, and what; it finds nothing for a few
  /// bytes less. Nothing where strips are not possible and layers by themselves do not help.
  std::optional<Fitting> smallest() const;

  /// `allowance` in words, and what is the smallest.
  Error refused(const ArenaAllowance& allowance) const;

  /// Of the network, which may run in strips.
  const StripOrders& search() const;

 private:
  const IntegerNetwork& network_;
  const Device& device_;
  const Records& records_;
  const NetworkOptions& options_;
  mutable std::optional<StripOrders> search_ = {};  // is expensive
};

}  // namespace tinytune
