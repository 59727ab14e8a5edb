// Counts the cycles of one call of a kernel in the device's simulator; does not check its output.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "devices/device.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "templates/kernel_template.h"

namespace tinytune {

/// Returns the cycles, at most `at_most`, at which a call is stopped. Nothing if the device has no
/// simulator or no room, or the kernel does not build. The input is zeros: where a core clamps by
/// branches, other data change cycles by some 0.2 %. Cached for the life of the process, without
/// regard to the layer's constants; earlier calls do not affect the result.
std::optional<uint64_t> counted_cycles(const Workload& workload, const Schedule& schedule,
                                       std::span<const PackedConstant> constants,
                                       const Device& device, bool constants_in_flash,
                                       uint64_t at_most);

}  // namespace tinytune
