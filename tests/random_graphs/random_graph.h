// A valid model, drawn from a seed and an index alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph.h"

namespace tinytune::bench {

/// Draws one to about a dozen operators, and a QUANTIZE for each float32 or uint8 input.
Graph random_graph(uint64_t seed, uint64_t index);

/// Draws inputs for the graph: `variant` 0 is uniform, others are constant, extreme or smooth.
std::vector<std::vector<uint8_t>> random_inputs(const Graph& graph, uint64_t seed, int variant);

/// Returns one line for each operator, such as "CONV_2D 1x5x4x2 s8 -> 1x5x4x4 s8".
std::string summary_of(const Graph& graph);

}  // namespace tinytune::bench
