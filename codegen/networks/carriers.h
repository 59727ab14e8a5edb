// Finds the carrier of a layer without code of its own: the operator whose code does its work. So
// every cost is counted once, under a function that runs.
#pragma once

#include <span>
#include <vector>

#include "codegen/networks/network.h"
#include "models/graph.h"

namespace tinytune {

/// Sets each alias's carrier: the operator whose output it renames; none if it renames an input of
/// the network. `is_alias` and `layers` by the graph's operators.
void name_carriers_of_aliases(const Graph& graph, const std::vector<bool>& is_alias,
                              std::span<GeneratedLayer> layers);

/// Resolves chains: if a layer's carrier was itself fused into another, that one carries both.
void settle_carriers(std::span<GeneratedLayer> layers);

/// Appends the layers that passes fused into others, behind the executed ones, whose indices stay
/// their steps, and settles carriers.
void list_absorbed(const IntegerNetwork& network, std::vector<GeneratedLayer>& layers);

}  // namespace tinytune
