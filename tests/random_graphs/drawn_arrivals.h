// Layers whose weights arrive, drawn: whatever is possible, not what would pay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "codegen/networks/network.h"
#include "models/integer_network.h"

namespace tinytune::bench {

/// Draws which layers' weights arrive, whole, and where each sets out, where the device has a way.
/// Layers that `options` split are drawn too. Nothing with strips, or IF and WHILE.
std::optional<Arrivals> drawn_arrivals(const IntegerNetwork& network, const NetworkOptions& options,
                                       const std::string& device, uint64_t seed);

}  // namespace tinytune::bench
