// Identifies the library with which a chip was timed: equal digests mean equal code, weights and
// placement.
#pragma once

#include "base/digest.h"
#include "codegen/networks/network.h"

namespace tinytune {

/// Covers the sources, and which of their parts are in fast memory. Not the header, which says what
/// a device needs for the library.
Digest library_digest(const GeneratedNetwork& network);

}  // namespace tinytune
