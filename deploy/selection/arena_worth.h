// Estimates how many cycles a larger arena would save. A message tells users; and a search for
// strips, which leave more room for scratch, starts only where that saves cycles.
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/networks/network.h"
#include "devices/device.h"
#include "models/integer_network.h"
#include "records/records.h"
#include "tinytune/result.h"

namespace tinytune {

/// Arena bytes and cycles of all kernels, within a limit and without one.
struct ArenaWorth {
  uint64_t arena_bytes = 0, cycles = 0;
  uint64_t most_bytes = 0, fewest_cycles = 0;
};

/// Gathers the kernels among which generate_within() (fitting.h) chooses in an arena of
/// `arena_bytes`. Nothing if none fit. Errors as there.
Result<std::optional<ArenaWorth>> arena_worth(const IntegerNetwork& executed, const Device& device,
                                              const Records& records, uint64_t arena_bytes,
                                              const NetworkOptions& options);

}  // namespace tinytune
