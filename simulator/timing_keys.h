// The keys of each timing model: a device file must give these, and no others.
#pragma once

#include <span>
#include <string_view>

#include "simulator/timing_model.h"

namespace tinytune::internal {

struct TimingKey {
  std::string_view name;
  uint32_t TimingCycles::*cycles;
  /// The key whose value is the default; null: the key is required.
  uint32_t TimingCycles::*otherwise = nullptr;
  /// Range of values; narrower for counts of the core's parts than for cycles.
  uint32_t least = 0, most = 1000;
};

/// Returns the keys of `model`; empty for a model without any, and for an unknown one.
std::span<const TimingKey> timing_keys(std::string_view model);

}  // namespace tinytune::internal
