// A cache key for results computed from a layer's constants.
#pragma once

#include <string>

#include "schedules/layer_data.h"

namespace tinytune {

/// Returns equal text for equal constants, within one process only: it uses std::hash.
std::string hash_text(const LayerData& data);

}  // namespace tinytune
