// Features of a device for the ranking model: numbers by name, without a meaning attached.
#pragma once

#include <vector>

#include "devices/device.h"
#include "search/strategy.h"

namespace tinytune {

/// Returns "registers", "can dsp", "cycles load", …. A name means the same on every device, so that
/// rows measured on several devices can share a matrix.
std::vector<DeviceFact> facts_of(const Device& device);

}  // namespace tinytune
