// Writes a Graph as a TensorFlow Lite file: the inverse of import, for examples, tests and benches.
//
// It writes what a Graph says and checks nothing, so that tests can make files that import must
// refuse.
#pragma once

#include <cstdint>
#include <vector>

#include "models/graph.h"

namespace tinytune {

/// Bytes depend on the graph alone. Constants get buffers, other tensors the empty buffer.
std::vector<uint8_t> write_tflite(const Graph& graph);

}  // namespace tinytune
