// Compresses weights in TensorFlow Lite Micro's formats: the inverse of TFLM_DECODE, for examples,
// tests and benches.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/graph.h"

namespace tinytune {

enum class WeightCode { kLookup, kHuffman, kPruned };

/// The two inputs of TFLM_DECODE.
struct CompressedTensor {
  std::vector<uint8_t> codes, description;
};

/// Compresses a constant; nullopt if the code cannot hold it: more than 128 values in a channel, an
/// unsupported type, channels along an inner axis.
std::optional<CompressedTensor> compressed(const Tensor& tensor, WeightCode code);

/// Returns the graph with a TFLM_DECODE before each reader of int8 constants as weights, where the
/// code can hold them. For graphs without IF and WHILE.
Graph with_compressed_weights(const Graph& graph, WeightCode code);

/// Returns the graph with weights that such a code compresses: 16 values, or most of them zero.
Graph with_coarse_weights(Graph graph, WeightCode code);

}  // namespace tinytune
