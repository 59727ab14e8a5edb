// Writes a Graph as a TensorFlow Lite file: the inverse of import, for examples, tests and benches.
//
// It writes a Graph as it is, without checks, so that tests can make files that import must refuse.
#pragma once

#include <cstdint>
#include <vector>

#include "models/graph.h"

namespace tinytune {

/// Its bytes depend on the graph alone. Constants get buffers, other tensors the empty buffer.
std::vector<uint8_t> write_tflite(const Graph& graph);

}  // namespace tinytune
