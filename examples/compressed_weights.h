// Weights as TensorFlow Lite Micro keeps them compressed: the inverse of TFLM_DECODE, for examples,
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

/// Of a constant; nothing where the code cannot hold it: a channel of more than 128 values, a type
/// that has no such code, channels along an inner axis.
std::optional<CompressedTensor> compressed(const Tensor& tensor, WeightCode code);

/// The graph with each int8 constant that an operator reads as weights behind a TFLM_DECODE, where
/// the code can hold it. For graphs without IF and WHILE.
Graph with_compressed_weights(const Graph& graph, WeightCode code);

/// The graph with weights that such a code makes smaller: of 16 values, or most of them zero.
Graph with_coarse_weights(Graph graph, WeightCode code);

}  // namespace tinytune
