// How large a network's arena may become.
//
// Where nobody names a limit it is the lower bound + 5 %, or what the device has if that is less;
// where the leanest kernels need more, what those need (ADR 13).
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/networks/network.h"
#include "codegen/networks/network_memory.h"
#include "devices/device.h"
#include "models/integer_network.h"

namespace tinytune {

/// Bytes. `asked` stands for the lower bound + 5 %, up or down. `least` is what the leanest kernels
/// need; whether the device has that much is not asked here.
uint64_t arena_limit(const NetworkMemory& memory, const Device& device,
                     std::optional<uint64_t> asked, uint64_t least);

/// The same before anything is known of the kernels but their spaces.
uint64_t ram_limit(const IntegerNetwork& network, const Device& device,
                   const NetworkOptions& options, std::optional<uint64_t> asked);

}  // namespace tinytune
