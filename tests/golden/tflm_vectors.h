// Models with the answers that TensorFlow Lite Micro gives for them: tflm_vectors.tar.xz, unpacked
// by the build.
//
// Reference operators and generated code are written by the same hands, so they may share a mistake
// that comparing one with the other never shows. These answers are somebody else's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/graph.h"

namespace tinytune::test {

using Bytes = std::vector<uint8_t>;

struct TflmVector {
  std::string name;
  std::string model;  ///< a path
  Bytes inputs;  ///< of all calls, one after the other; each has all inputs in the model's order
  std::optional<Bytes> outputs;  ///< likewise; nothing: the model is refused
};

/// Random graphs, five calls each.
std::vector<TflmVector> tflm_graphs();
/// Single operators that were once wrong, one call each; some are refused.
std::vector<TflmVector> tflm_cases();
/// Of the networks that examples/make_network writes, built by this project; one call each.
std::vector<TflmVector> tflm_networks();

/// A network of ../shared/public and all its calls in their order, which is a sequence where it has
/// state. Nothing: not at hand.
std::optional<TflmVector> tflm_public_network(const std::string& name);

/// `inputs` call by call, a buffer for each input of the graph.
std::vector<std::vector<Bytes>> calls_of(const Bytes& inputs, const Graph& graph);
/// Compares `computed` with the answer of a model that is not refused.
void expect_answer(const TflmVector& vector, Bytes computed);

}  // namespace tinytune::test
