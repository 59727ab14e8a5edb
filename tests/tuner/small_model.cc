#include "tests/tuner/small_model.h"

#include <fstream>
#include <iterator>

#include "base/rng.h"
#include "examples/tflite_writer.h"
#include "models/operator_kind.h"
#include "tests/codegen/graph_builder.h"

namespace tinytune::test {
namespace {

std::vector<uint8_t> random_weights(size_t count, uint64_t seed) {
  Rng rng(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(static_cast<int>(rng.below(61)) - 30);
  return bytes;
}

ConvAttributes same_padding() {
  ConvAttributes attributes;
  attributes.padding = Padding::kSame;
  attributes.activation = Activation::kRelu;
  return attributes;
}

}  // namespace

Graph small_graph() {
  GraphBuilder b;
  const ConvAttributes conv = same_padding();
  int x = b.input({1, 6, 6, 4}, 0.5F, -1);
  const int w0 = b.constant({8, 3, 3, 4}, 0.01F, 0, random_weights(8 * 9 * 4, 1));
  x = b.op(OperatorKind::kConv2d, {x, w0}, conv, {1, 6, 6, 8}, 0.1F, -128);
  const int w1 = b.constant({1, 3, 3, 8}, 0.02F, 0, random_weights(9 * 8, 2));
  ConvAttributes depthwise = conv;
  depthwise.depth_multiplier = 1;
  x = b.op(OperatorKind::kDepthwiseConv2d, {x, w1}, depthwise, {1, 6, 6, 8}, 0.1F, -128);
  for (uint64_t twin : {3, 4}) {
    const int w = b.constant({8, 1, 1, 8}, 0.03F, 0, random_weights(64, twin));
    x = b.op(OperatorKind::kConv2d, {x, w}, conv, {1, 6, 6, 8}, 0.1F, -128);
  }
  PoolAttributes pool;
  pool.filter_h = pool.filter_w = 6;
  pool.stride_h = pool.stride_w = 6;
  x = b.op(OperatorKind::kAveragePool2d, {x}, pool, {1, 1, 1, 8}, 0.1F, -128);
  return b.finish({x});
}

Graph slow_to_build_graph() {
  GraphBuilder b;
  int channels = 4;
  int x = b.input({1, 6, 6, channels}, 0.5F, -1);
  for (int layer = 0; layer < 60; ++layer) {
    const int before = channels++;
    const size_t weights = static_cast<size_t>(before) * static_cast<size_t>(channels);
    const int w = b.constant({channels, 1, 1, before}, 0.01F, 0,
                             random_weights(weights, static_cast<uint64_t>(layer)));
    x = b.op(OperatorKind::kConv2d, {x, w}, same_padding(), {1, 6, 6, channels}, 0.1F, -128);
  }
  return b.finish({x});
}

Graph two_in_two_out_graph() {
  GraphBuilder b;
  const int first = b.input({1, 2, 2, 4}, 0.5F, 3);
  const int second = b.input({1, 2, 2, 4}, 0.25F, -7);
  const int sum =
      b.op(OperatorKind::kAdd, {first, second}, ActivationAttributes{}, {1, 2, 2, 4}, 0.5F, 0);
  PoolAttributes pool;
  pool.filter_h = pool.filter_w = 2;
  const int pooled = b.op(OperatorKind::kMaxPool2d, {sum}, pool, {1, 1, 1, 4}, 0.5F, 0);
  return b.finish({sum, pooled});
}

Graph large_addition() {
  GraphBuilder b;
  const std::vector<int> shape = {1, 64, 64, 4};
  const int first = b.input(shape, 0.5F, 3);
  const int second = b.input(shape, 0.25F, -7);
  return b.finish(
      {b.op(OperatorKind::kAdd, {first, second}, ActivationAttributes{}, shape, 0.5F, 0)});
}

Graph float_graph() {
  Graph graph = two_in_two_out_graph();
  for (Tensor& tensor : graph.tensors) {
    tensor.type = ElementType::kFloat32;
    tensor.quantization = {};
  }
  return graph;
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void write_model(const Graph& graph, const std::string& path) {
  const std::vector<uint8_t> bytes = write_tflite(graph);
  write_bytes(path, std::string(bytes.begin(), bytes.end()));
}

}  // namespace tinytune::test
