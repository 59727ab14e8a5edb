// Small graphs, built in a line or two, for tests of import and of the reference operators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph.h"
#include "models/operator_kind.h"

namespace tinytune {

/// Builds a Graph tensor by tensor; the functions that add a tensor return its id.
class GraphBuilder {
 public:
  int activation(std::vector<int> shape, float scale = 0.5F, int zero_point = 0);
  int input(std::vector<int> shape, float scale = 0.5F, int zero_point = 0);
  int float_tensor(std::vector<int> shape);
  int weights(std::vector<int> shape, std::vector<float> scales, int axis, uint64_t seed);
  int int8_constant(std::vector<int> shape, std::vector<int8_t> values, float scale,
                    int zero_point);
  int int32_constant(std::vector<int> shape, const std::vector<int32_t>& values);
  int bias(const std::vector<int32_t>& values, float scale);
  void op(OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs,
          Attributes attributes = {});

  Graph graph;

 private:
  int add(Tensor tensor);
};

/// A 3x3 convolution with ReLU on [1,5,4,2], four per-channel filters, and its softmax.
Graph tiny_network();

std::vector<uint8_t> read_bytes(const std::string& path);

}  // namespace tinytune
