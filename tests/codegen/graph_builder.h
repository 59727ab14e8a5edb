// Small graphs for tests, written without a model file.
#pragma once

#include <string>
#include <vector>

#include "models/graph.h"

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
