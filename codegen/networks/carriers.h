// Which operator's code does the work of a layer that has no code of its own, so that what a layer
// costs is counted once and under a name that runs.
#pragma once

#include <span>
#include <vector>

#include "codegen/networks/network.h"
#include "models/graph.h"

namespace tinytune {

/// An alias is carried by the operator whose output it renames; by none where that is an input of
/// the network. `is_alias` and `layers` by the graph's operators.
void name_carriers_of_aliases(const Graph& graph, const std::vector<bool>& is_alias,
                              std::span<GeneratedLayer> layers);

/// Where a layer that others were fused into was itself fused into another, they follow it.
void settle_carriers(std::span<GeneratedLayer> layers);

/// Adds layers that passes made part of others behind those that execute, whose places stay their
/// steps, and settles who carries whom.
void list_absorbed(const IntegerNetwork& network, std::vector<GeneratedLayer>& layers);

}  // namespace tinytune
