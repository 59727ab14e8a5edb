// Reads a layer's constants from a JSON file: {"weights": […], "bias": […], "multiplier": […],
// "shift": […]}, or "scale" (real numbers, one per output channel) instead of the last two.
#pragma once

#include <string>

#include "tinytune/layer.h"
#include "tinytune/result.h"

namespace tinytune {

/// kNotFound, kInvalidInput: no such file, or not such an object; the message has the reason.
Result<LayerConstants> read_constants(const std::string& path);

}  // namespace tinytune
