// Why a model file is refused, in one line: what kind of network it is, the first operators
// concerned, and what to do about it. However many there are, the line stays a line.
#pragma once

#include <string>

#include "models/summary.h"

namespace tinytune {

/// Empty where nothing is unsupported.
std::string refusal_of(const ModelSummary& summary);

}  // namespace tinytune
