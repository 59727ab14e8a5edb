// A network small enough to tune in seconds: a convolution, a depthwise one, two equal pointwise
// ones that differ in weights, and a pool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph.h"

namespace tinytune::test {

Graph small_graph();

/// Convolutions that all differ, so that each needs its own build, which takes a while.
Graph slow_to_build_graph();

/// Adds two int8 inputs of 1x2x2x4 and gives the sum and its pool as outputs.
Graph two_in_two_out_graph();

/// An addition whose operands of 16 KiB each need an arena of 32 KiB.
Graph large_addition();

/// two_in_two_out_graph() in float32: well formed and unsupported.
Graph float_graph();

void write_model(const Graph& graph, const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);
std::string read_bytes(const std::string& path);

}  // namespace tinytune::test
