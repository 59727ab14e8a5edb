// Kernels for layers whose constants arrive while earlier code computes.
//
// Such a layer takes the longer of its computation and the transfer of its bytes, which overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "devices/arrival_way.h"
#include "devices/device.h"
#include "models/integer_forms.h"
#include "schedules/schedule.h"

namespace tinytune {

/// Returns the fastest schedule by that measure for one of `blocks` blocks of each of these layers,
/// which share a workload. Candidates: the templates' defaults with at most `most_scratch` bytes
/// that the constants of all blocks permit. Nothing if no kernel can be counted.
std::optional<Schedule> hidden_kernel(std::span<const KernelOp* const> ops, int blocks,
                                      const ArrivalWay& way, const Device& device,
                                      uint64_t most_scratch);

}  // namespace tinytune
