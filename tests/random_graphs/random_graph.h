// A valid model, drawn from a seed and an index alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph.h"

namespace tinytune::bench {

/// One to about a dozen operators of operators.inc, and the QUANTIZE of float32 and uint8 inputs.
Graph random_graph(uint64_t seed, uint64_t index);

/// Inputs for it: `variant` 0 is uniform, others are constant, extreme or smooth.
std::vector<std::vector<uint8_t>> random_inputs(const Graph& graph, uint64_t seed, int variant);

/// "CONV_2D 1x5x4x2 s8 -> 1x5x4x4 s8", a line an operator.
std::string summary_of(const Graph& graph);

}  // namespace tinytune::bench
