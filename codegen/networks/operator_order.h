// In which order operators run: one that its inputs allow, with few bytes alive.
//
// Converters write a residual network's shortcut behind the layers that it goes around, so that
// what both read stays alive beside everything those layers make. Run first, it ends that tensor's
// life, and the layers' kernels get the room as scratch. As in A. Liberis, N. Lane, "Neural
// networks on microcontrollers: saving memory at inference via operator reordering" (2019), but
// by moves of single operators towards the front, each kept if it pays, instead of all orders:
// branches of these networks are short.
#pragma once

#include <span>

#include "codegen/networks/layout.h"
#include "codegen/strips/strip_flow.h"

namespace tinytune {

/// Leaves the peak of bytes alive where it is or lower; of orders with one peak, fewer bytes alive
/// over all steps are better. Groups of strips stay as they are and together.
/// Deterministic; networks of more than some hundred operators, and those with groups that cannot
/// be, stay as they are.
void order_operators(LaidOutGraph& network, std::span<const StripGroup> groups);

}  // namespace tinytune
