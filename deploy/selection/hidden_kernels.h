// Kernels for layers whose constants arrive while earlier code computes.
//
// Such a layer takes as long as its products or as its bytes, whichever is longer: bytes that hide
// behind products cost nothing, and neither do products that hide behind bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "devices/arrival_way.h"
#include "devices/device.h"
#include "models/integer_forms.h"
#include "schedules/schedule.h"

namespace tinytune {

/// For a block, of so many, of each of these layers, which are one workload: among templates'
/// defaults with no more scratch than that, which all constants permit. Nothing where no kernel can
/// be counted.
std::optional<Schedule> hidden_kernel(std::span<const KernelOp* const> ops, int blocks,
                                      const ArrivalWay& way, const Device& device,
                                      uint64_t most_scratch);

}  // namespace tinytune
