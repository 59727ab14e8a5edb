// Orders operators so that few bytes are alive, within their data dependences.
//
// Converters write a residual network's shortcut behind the layers that it bypasses, so that their
// common input stays alive beside everything that those layers make. If the shortcut runs first,
// that tensor dies early, and the layers' kernels can use its room as scratch. The idea is that of
// A. Liberis, N. Lane, "Neural networks on microcontrollers: saving memory at inference via
// operator reordering" (2019). Instead of trying all orders, single operators are moved towards the
// front, and a move is kept if it pays: branches of these networks are short.
#pragma once

#include <span>

#include "codegen/networks/layout.h"
#include "codegen/strips/strip_flow.h"

namespace tinytune {

/// Lowers the peak of live bytes or, at an equal peak, the live bytes summed over all steps. Groups
/// of strips keep their order and stay contiguous. Deterministic. Does not change networks of more
/// than some hundred operators, nor those with impossible groups.
void order_operators(LaidOutGraph& network, std::span<const StripGroup> groups);

}  // namespace tinytune
