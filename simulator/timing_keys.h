// The keys of each timing model: a device file must give these, and no others.
#pragma once

#include <span>
#include <string_view>

#include "simulator/timing_model.h"

namespace tinytune::internal {

struct TimingKey {
  std::string_view name;
  uint32_t TimingCycles::*cycles;
  /// What holds for a file without the key; null: it must have it.
  uint32_t TimingCycles::*otherwise = nullptr;
  /// What it may be; narrower where it counts parts of the core and not cycles.
  uint32_t least = 0, most = 1000;
};

/// Empty for a model that has none, and for an unknown one.
std::span<const TimingKey> timing_keys(std::string_view model);

}  // namespace tinytune::internal
