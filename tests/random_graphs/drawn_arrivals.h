// Draws layers whose weights arrive: any legal choice, profitable or not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "codegen/networks/network.h"
#include "models/integer_network.h"

namespace tinytune::bench {

/// Draws which layers' weights arrive, each whole, and at which step each transfer starts. Layers
/// that `options` split are drawn too. Nothing if the device has no way of arrival, or the network
/// has strips, IF or WHILE.
std::optional<Arrivals> drawn_arrivals(const IntegerNetwork& network, const NetworkOptions& options,
                                       const std::string& device, uint64_t seed);

}  // namespace tinytune::bench
