#include "deploy/selection/layout_transforms.h"

#include <string>
#include <utility>
#include <vector>

#include "codegen/networks/network.h"
#include "deploy/execution/network_simulation.h"
#include "models/graph.h"
#include "models/integer_network.h"
#include "models/operator_kind.h"

namespace tinytune {
namespace {

Tensor int8_tensor(int id, std::vector<int> shape) {
  Tensor tensor;
  tensor.id = id;
  tensor.name = "t" + std::to_string(id);
  tensor.shape = std::move(shape);
  tensor.quantization = {{1.0F}, {0}, 0};
  return tensor;
}

Tensor axes_tensor(int id, const std::vector<uint8_t>& axes) {
  Tensor tensor = int8_tensor(id, {static_cast<int>(axes.size())});
  tensor.type = ElementType::kInt32;
  tensor.quantization = {};
  tensor.is_constant = true;
  for (const uint8_t axis : axes) tensor.data.insert(tensor.data.end(), {axis, 0, 0, 0});
  return tensor;
}

// Returns a graph that transposes an image to NCHW and back.
Graph there_and_back(const ImageShape& s) {
  Graph graph;
  graph.name = "transform";
  graph.tensors = {
      int8_tensor(0, {s.batch, s.rows, s.columns, s.channels}), axes_tensor(1, {0, 3, 1, 2}),
      int8_tensor(2, {s.batch, s.channels, s.rows, s.columns}), axes_tensor(3, {0, 2, 3, 1}),
      int8_tensor(4, {s.batch, s.rows, s.columns, s.channels})};
  for (int i = 0; i < 2; ++i) {
    Operator op;
    op.index = i;
    op.kind = OperatorKind::kTranspose;
    op.inputs = {2 * i, 2 * i + 1};
    op.outputs = {2 * i + 2};
    graph.operators.push_back(std::move(op));
  }
  graph.inputs = {0};
  graph.outputs = {4};
  return graph;
}

}  // namespace

Result<TransformCycles> measure_transforms(const ImageShape& shape, const Device& device) {
  const Graph graph = there_and_back(shape);
  TT_TRY_ASSIGN(const IntegerNetwork transform, integer_network(graph));
  NetworkOptions options;
  options.name = graph.name;
  TT_TRY_ASSIGN(const GeneratedNetwork network, generate_network(transform, device, {}, options));
  TT_TRY_ASSIGN(NetworkSimulation simulation, NetworkSimulation::load(graph, network, device));
  const std::vector<std::vector<uint8_t>> inputs = {
      std::vector<uint8_t>(static_cast<size_t>(graph.tensor(0).bytes()))};
  TT_TRY_ASSIGN(const RunReport report, simulation.invoke(inputs));
  return TransformCycles{report.layers[0].cycles, report.layers[1].cycles};
}

}  // namespace tinytune
