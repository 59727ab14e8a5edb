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
    numbers.push_back(given->integer(i));
  if (given == nullptr) numbers = node.get("axes", numbers);  // Squeeze, Unsqueeze before opset 13
  const bool all_squeezed = given == nullptr && node.ints.count("axes") == 0;
  std::vector<int> result;
  if (node.type == "Flatten") {
    int64_t axis = node.get("axis", int64_t{1}), rows = 1;
    if (axis < 0) axis += static_cast<int64_t>(shape.size());
    for (int64_t i = 0; i < axis && i < static_cast<int64_t>(shape.size()); ++i)
      rows *= shape[static_cast<size_t>(i)];
    if (rows < 1) return OnnxValues::invalid(node, "an empty input");
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
      if (!(named || (all_squeezed && shape[static_cast<size_t>(i)] == 1)))
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

std::vector<int64_t> OnnxRange::places() const {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i) result.push_back(first + i * step);
  return result;
}

Result<std::vector<OnnxRange>> sliced_ranges(const OnnxNode& node, const std::vector<int>& shape,
                                             const std::vector<const OnnxTensor*>& inputs) {
  // Attributes before opset 10, inputs since.
  static const char* const kNames[] = {"", "starts", "ends", "axes", "steps"};
  std::vector<std::vector<int64_t>> numbers(std::size(kNames));
  for (size_t i = 1; i < numbers.size(); ++i) {
    numbers[i] = node.get(kNames[i], std::vector<int64_t>{});
    if (!node.has_input(i)) continue;
    if (i >= inputs.size() || inputs[i] == nullptr)
      return OnnxValues::unsupported(node, "bounds that are no constants");
    for (size_t k = 0; k < static_cast<size_t>(inputs[i]->elements()); ++k)
      numbers[i].push_back(inputs[i]->integer(k));
  }
  const auto rank = static_cast<int64_t>(shape.size());
  if (numbers[3].empty())
    for (size_t i = 0; i < numbers[1].size(); ++i) numbers[3].push_back(static_cast<int64_t>(i));
  if (numbers[4].empty()) numbers[4].assign(numbers[1].size(), 1);
  std::vector<OnnxRange> ranges;
  for (size_t i = 0; i < numbers[1].size(); ++i) {
    if (numbers[2].size() <= i || numbers[3].size() <= i || numbers[4].size() <= i)
      return OnnxValues::invalid(node, "its bounds do not fit each other");
    const int64_t axis = numbers[3][i] < 0 ? numbers[3][i] + rank : numbers[3][i];
    const int64_t step = numbers[4][i];
    if (axis < 0 || axis >= rank || step == 0)
      return OnnxValues::invalid(node, "an axis or a step out of range");
    const int64_t extent = shape[static_cast<size_t>(axis)];
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    const auto inside = [&](int64_t at) {
      return std::clamp(at < 0 ? at + extent : at, low, high);
    };
    const int64_t first = inside(numbers[1][i]), end = inside(numbers[2][i]);
    const int64_t count =
        step > 0 ? (end - first + step - 1) / step : (first - end - step - 1) / -step;
    if (count < 1) return OnnxValues::invalid(node, "nothing is left of an axis");
    ranges.push_back({static_cast<size_t>(axis), first, step, count});
  }
  return ranges;
}

}  // namespace tinytune
