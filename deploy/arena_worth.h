// What a larger arena would buy a network: for those who chose none, and to know where strips,
// which leave more room for scratch, are worth a search.
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/networks/network.h"
#include "devices/device.h"
#include "models/integer_network.h"
#include "records/records.h"
#include "tinytune/result.h"

namespace tinytune {

/// What kernels take within a limit on the arena, and without one.
struct ArenaWorth {
  uint64_t arena_bytes = 0, cycles = 0;
  uint64_t most_bytes = 0, fewest_cycles = 0;
};

/// Of generate_within() (fitting.h) in such an arena, by its records and estimates. Nothing where
/// nothing fits. Errors as there.
Result<std::optional<ArenaWorth>> arena_worth(const IntegerNetwork& executed, const Device& device,
                                              const Records& records, uint64_t arena_bytes,
                                              const NetworkOptions& options);

}  // namespace tinytune
