// How many cycles one call of a kernel takes, by the device's simulator: built, called once, and
// not looked at again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "devices/device.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "templates/kernel_template.h"

namespace tinytune {

/// `at_most` where it takes more: a call that loses is not waited for. Nothing where the device has
/// no simulator, or no room, or the kernel does not build. Counted once a process: no kernel's path
/// depends on its layer's data, and what is known has no influence on what is said.
std::optional<uint64_t> counted_cycles(const Workload& workload, const Schedule& schedule,
                                       std::span<const PackedConstant> constants,
                                       const Device& device, bool constants_in_flash,
                                       uint64_t at_most);

}  // namespace tinytune
