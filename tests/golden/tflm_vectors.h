// Models with TensorFlow Lite Micro's answers: tflm_vectors.tar.xz, unpacked by the build.
//
// Reference operators and generated code have the same authors, so they may share a mistake that
// comparing one with the other never shows. These answers are independent of both.
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
  std::string model;  ///< path of the .tflite file
  Bytes inputs;  ///< of all calls, one after the other; each has all inputs in the model's order
  std::optional<Bytes> outputs;  ///< likewise; absent: the model is refused
};

/// Random graphs, five calls each.
std::vector<TflmVector> tflm_graphs();
/// Single operators that were once wrong, one call each; some are refused.
std::vector<TflmVector> tflm_cases();
/// Networks that examples/make_network writes during the build, one call each.
std::vector<TflmVector> tflm_networks();

/// Returns a network of ../shared/public with all its calls in order, because it may have state.
/// Nothing if the network is not there.
std::optional<TflmVector> tflm_public_network(const std::string& name);

/// Splits `inputs` into calls, with one buffer for each input of the graph.
std::vector<std::vector<Bytes>> calls_of(const Bytes& inputs, const Graph& graph);
/// Compares `computed` with the answer of a model that is not refused.
void expect_answer(const TflmVector& vector, Bytes computed);

}  // namespace tinytune::test
