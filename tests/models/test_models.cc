#include "tests/models/test_models.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include "base/rng.h"

namespace tinytune {

int GraphBuilder::add(Tensor tensor) {
  tensor.id = static_cast<int>(graph.tensors.size());
  tensor.name = "tensor_" + std::to_string(tensor.id);
  graph.tensors.push_back(std::move(tensor));
  return graph.tensors.back().id;
}

int GraphBuilder::activation(std::vector<int> shape, float scale, int zero_point) {
  return add({.shape = std::move(shape), .quantization = {{scale}, {zero_point}, 0}});
}

int GraphBuilder::input(std::vector<int> shape, float scale, int zero_point) {
  graph.inputs.push_back(activation(std::move(shape), scale, zero_point));
  return graph.inputs.back();
}

int GraphBuilder::float_tensor(std::vector<int> shape) {
  return add({.type = ElementType::kFloat32, .shape = std::move(shape)});
}

int GraphBuilder::weights(std::vector<int> shape, std::vector<float> scales, int axis,
                          uint64_t seed) {
  Tensor tensor{.shape = std::move(shape), .is_constant = true};
  Rng rng(seed);
  tensor.data.resize(static_cast<size_t>(tensor.elements()));
  for (uint8_t& byte : tensor.data)
    byte = static_cast<uint8_t>(static_cast<int8_t>(static_cast<int>(rng.below(255)) - 127));
  const std::vector<int32_t> zeros(scales.size(), 0);
  tensor.quantization = {std::move(scales), zeros, axis};
  return add(std::move(tensor));
}

int GraphBuilder::int8_constant(std::vector<int> shape, std::vector<int8_t> values, float scale,
                                int zero_point) {
  Tensor tensor{
      .shape = std::move(shape), .quantization = {{scale}, {zero_point}, 0}, .is_constant = true};
  tensor.data.assign(values.begin(), values.end());
  return add(std::move(tensor));
}

int GraphBuilder::int32_constant(std::vector<int> shape, const std::vector<int32_t>& values) {
  Tensor tensor{.type = ElementType::kInt32, .shape = std::move(shape), .is_constant = true};
  tensor.data.resize(values.size() * sizeof(int32_t));
  if (!values.empty()) std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return add(std::move(tensor));
}

int GraphBuilder::bias(const std::vector<int32_t>& values, float scale) {
  const int id = int32_constant({static_cast<int>(values.size())}, values);
  graph.tensors.back().quantization = {{scale}, {0}, 0};
  return id;
}

void GraphBuilder::op(OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs,
                      Attributes attributes) {
  graph.operators.push_back({static_cast<int>(graph.operators.size()), kind, std::move(inputs),
                             std::move(outputs), std::move(attributes)});
}

Graph tiny_network() {
  GraphBuilder b;
  b.graph.name = "tiny";
  const int in = b.input({1, 5, 4, 2});
  const int weights = b.weights({4, 3, 3, 2}, {0.01F, 0.02F, 0.03F, 0.04F}, 0, 7);
  const int bias = b.int32_constant({4}, {100, -100, 2000, 0});
  const int conv = b.activation({1, 5, 4, 4}, 0.6F, -128);
  const int out = b.activation({1, 5, 4, 4}, 1.0F / 256, -128);
  b.op(OperatorKind::kConv2d, {in, weights, bias}, {conv},
       ConvAttributes{.activation = Activation::kRelu});
  b.op(OperatorKind::kSoftmax, {conv}, {out}, SoftmaxAttributes{});
  b.graph.outputs = {out};
  return b.graph;
}

std::vector<uint8_t> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace tinytune
