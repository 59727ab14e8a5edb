// Small graphs for tests, written without a model file.
#pragma once

#include <string>
#include <vector>

#include "models/graph.h"
#include "models/operator_kind.h"

namespace tinytune::test {

class GraphBuilder {
 public:
  int input(std::vector<int> shape, float scale, int zero_point) {
    const int id = tensor(std::move(shape), scale, zero_point);
    graph_.inputs.push_back(id);
    return id;
  }

  int constant(std::vector<int> shape, float scale, int zero_point, std::vector<uint8_t> data) {
    const int id = tensor(std::move(shape), scale, zero_point);
    graph_.tensors.back().is_constant = true;
    graph_.tensors.back().data = std::move(data);
    return id;
  }

  /// An int32 tensor of one dimension: axes, paddings, sizes.
  int integers(const std::vector<int32_t>& values) {
    const int id = tensor({static_cast<int>(values.size())}, 1, 0);
    Tensor& t = graph_.tensors.back();
    t.type = ElementType::kInt32;
    t.quantization = {};
    t.is_constant = true;
    for (const int32_t value : values)
      for (int b = 0; b < 4; ++b)
        t.data.push_back(static_cast<uint8_t>(static_cast<uint32_t>(value) >> (8 * b)));
    return id;
  }

  int bias(const std::vector<int32_t>& values, float scale) {
    const int id = integers(values);
    graph_.tensors.back().quantization = {{scale}, {0}, 0};
    return id;
  }

  /// One scale per index of `axis`, zero points 0.
  void scales(int id, std::vector<float> scales, int axis) {
    Quantization& q = graph_.tensors[static_cast<size_t>(id)].quantization;
    q.zero_points.assign(scales.size(), 0);
    q.scales = std::move(scales);
    q.axis = axis;
  }

  int variable(std::vector<int> shape, float scale, int zero_point) {
    const int id = tensor(std::move(shape), scale, zero_point);
    graph_.tensors.back().is_variable = true;
    return id;
  }

  /// Changes the type of a tensor made before; float32 has no quantisation.
  int retype(int id, ElementType type) {
    Tensor& t = graph_.tensors[static_cast<size_t>(id)];
    t.type = type;
    if (type == ElementType::kFloat32) t.quantization = {};
    return id;
  }

  /// A further output of the operator made last.
  int more_output(std::vector<int> shape, float scale, int zero_point) {
    const int id = tensor(std::move(shape), scale, zero_point);
    graph_.operators.back().outputs.push_back(id);
    return id;
  }

  int op(OperatorKind kind, std::vector<int> inputs, Attributes attributes, std::vector<int> shape,
         float scale, int zero_point) {
    const int id = tensor(std::move(shape), scale, zero_point);
    Operator o;
    o.index = static_cast<int>(graph_.operators.size());
    o.kind = kind;
    o.inputs = std::move(inputs);
    o.outputs = {id};
    o.attributes = std::move(attributes);
    graph_.operators.push_back(std::move(o));
    return id;
  }

  Graph finish(std::vector<int> outputs) {
    graph_.name = "net";
    graph_.outputs = std::move(outputs);
    return graph_;
  }

 private:
  int tensor(std::vector<int> shape, float scale, int zero_point) {
    Tensor t;
    t.id = static_cast<int>(graph_.tensors.size());
    t.name = "t" + std::to_string(t.id);
    t.shape = std::move(shape);
    t.quantization.scales = {scale};
    t.quantization.zero_points = {zero_point};
    graph_.tensors.push_back(std::move(t));
    return graph_.tensors.back().id;
  }

  Graph graph_;
};

}  // namespace tinytune::test
