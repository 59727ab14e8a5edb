// A layer's constants from a JSON file: {"weights": […], "bias": […], "multiplier": […],
// "shift": […]}, or "scale" (real numbers, one per output channel) for the last two.
#pragma once

#include <string>

#include "tinytune/layer.h"
#include "tinytune/result.h"

namespace tinytune {

/// kNotFound, kInvalidInput: no such file, or something else than such an object; the message says
/// what.
Result<LayerConstants> read_constants(const std::string& path);

}  // namespace tinytune
