#include "models/onnx/onnx_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/onnx/onnx_values.h"

namespace tinytune {
namespace {

constexpr size_t kMostAxes = 8;

}  // namespace

Result<std::vector<int>> reshaped_shape(const OnnxNode& node, const std::vector<int>& shape,
                                        const OnnxTensor* given) {
  int64_t elements = 1;
  for (const int extent : shape) elements *= extent;
  std::vector<int64_t> numbers;
  if (given != nullptr && given->elements() > static_cast<int64_t>(kMostAxes))
    return OnnxValues::unsupported(node, fmt::format("more than {} axes", kMostAxes));
  for (size_t i = 0; given != nullptr && i < static_cast<size_t>(given->elements()); ++i)
    numbers.push_back(static_cast<int64_t>(given->at(i)));
  std::vector<int> result;
  if (node.type == "Flatten") {
    int64_t axis = node.get("axis", int64_t{1}), rows = 1;
    if (axis < 0) axis += static_cast<int64_t>(shape.size());
    for (int64_t i = 0; i < axis && i < static_cast<int64_t>(shape.size()); ++i)
      rows *= shape[static_cast<size_t>(i)];
    return std::vector<int>{static_cast<int>(rows), static_cast<int>(elements / rows)};
  }
  if (node.type == "Reshape") {
    if (given == nullptr) return OnnxValues::unsupported(node, "a shape that is no constant");
    int64_t known = 1;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == 0 && i < shape.size()) numbers[i] = shape[i];
      if (numbers[i] > 0 && known <= elements) known *= std::min(numbers[i], elements);
    }
    for (const int64_t number : numbers)
      result.push_back(static_cast<int>(number == -1 ? elements / known : number));
  } else if (node.type == "Squeeze") {
    const auto rank = static_cast<int64_t>(shape.size());
    for (int64_t i = 0; i < rank; ++i) {
      const bool named = std::any_of(numbers.begin(), numbers.end(),
                                     [&](int64_t axis) { return axis == i || axis + rank == i; });
      if (!(named || (given == nullptr && shape[static_cast<size_t>(i)] == 1)))
        result.push_back(shape[static_cast<size_t>(i)]);
    }
  } else {
    const auto rank = static_cast<int64_t>(shape.size() + numbers.size());
    size_t next = 0;
    for (int64_t i = 0; i < rank; ++i) {
      const bool named = std::any_of(numbers.begin(), numbers.end(),
                                     [&](int64_t axis) { return axis == i || axis + rank == i; });
      result.push_back(named || next >= shape.size() ? 1 : shape[next++]);
    }
  }
  int64_t made = 1;
  for (const int extent : result)
    if (extent < 1 || (made *= extent) > elements)
      return OnnxValues::invalid(node, "its shape does not fit its input");
  if (made != elements) return OnnxValues::invalid(node, "its shape does not fit its input");
  return result;
}

}  // namespace tinytune
