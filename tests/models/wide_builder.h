// Builds graphs of int16 activations, for tests of int16 forms.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "tests/models/operator_run.h"

namespace tinytune {

using Wide = std::vector<int16_t>;

inline Bytes bytes_of_wide(const Wide& values) {
  Bytes bytes(values.size() * sizeof(int16_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline Wide wide_of(const Bytes& bytes) {
  Wide values(bytes.size() / sizeof(int16_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class WideBuilder : public GraphBuilder {
 public:
  int wide(std::vector<int> shape, float scale) {
    const int id = activation(std::move(shape), scale, 0);
    graph.tensors[static_cast<size_t>(id)].type = ElementType::kInt16;
    return id;
  }
  int wide_input(std::vector<int> shape, float scale) {
    const int id = wide(std::move(shape), scale);
    graph.inputs.push_back(id);
    return id;
  }
  int int64_constant(std::vector<int> shape, const std::vector<int64_t>& values) {
    const int id = int32_constant(std::move(shape), {});
    Tensor& t = graph.tensors[static_cast<size_t>(id)];
    t.type = ElementType::kInt64;
    t.quantization = {{1}, {0}, 0};  // as input and weights here
    t.data.resize(values.size() * sizeof(int64_t));
    std::memcpy(t.data.data(), values.data(), t.data.size());
    return id;
  }
};

}  // namespace tinytune
