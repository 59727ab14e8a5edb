// Why a model file is refused, in one line: the kind of network, the first unsupported operators
// and the remedy. The line's length is bounded, however many operators are unsupported.
#pragma once

#include <string>

#include "models/summary.h"

namespace tinytune {

/// Returns that line; empty if nothing is unsupported.
std::string refusal_of(const ModelSummary& summary);

}  // namespace tinytune
