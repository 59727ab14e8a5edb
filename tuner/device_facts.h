// What the ranking model may know of a device: numbers by name, and nothing about what they mean.
#pragma once

#include <vector>

#include "devices/device.h"
#include "search/strategy.h"

namespace tinytune {

/// "registers", "can dsp", "cycles load", …: equal names mean the same on every device, so that
/// rows measured on several can stand in one matrix.
std::vector<DeviceFact> facts_of(const Device& device);

}  // namespace tinytune
