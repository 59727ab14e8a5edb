// Which library a chip was timed with: equal digests, equal code, weights and places for both.
#pragma once

#include "base/digest.h"
#include "codegen/networks/network.h"

namespace tinytune {

/// Of the sources, and of which of their parts are in fast memory. Not of the header, which says
/// what a device needs for it.
Digest library_digest(const GeneratedNetwork& network);

}  // namespace tinytune
