// A key of a layer's constants, for what was computed of them before.
#pragma once

#include <string>

#include "schedules/layer_data.h"

namespace tinytune {

/// Equal for equal constants. For one process: it is no checksum.
std::string hash_text(const LayerData& data);

}  // namespace tinytune
