#include "cli/accuracy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "base/little_endian.h"

namespace tinytune {
namespace {

/// Returns an element as a number that can be compared with others of its tensor.
double value_at(ElementType type, std::span<const uint8_t> bytes, size_t at) {
  switch (type) {
    case ElementType::kInt8:
      return little_endian_at<int8_t>(bytes, at);
    case ElementType::kUint8:
      return little_endian_at<uint8_t>(bytes, at);
    case ElementType::kInt16:
      return little_endian_at<int16_t>(bytes, at);
    case ElementType::kInt32:
      return little_endian_at<int32_t>(bytes, at);
    default: {
      float value = 0;
      std::memcpy(&value, bytes.data() + at, sizeof value);
      return value;
    }
  }
}

bool is_comparable(ElementType type) {
  return type == ElementType::kInt8 || type == ElementType::kUint8 || type == ElementType::kInt16 ||
         type == ElementType::kInt32 || type == ElementType::kFloat32;
}

/// Returns the threshold of class 1 for an output of one element, as a stored (quantised) value.
double half_of(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  if (q.scales.empty() || q.zero_points.empty()) return 0.5;
  return 0.5 / q.scales[0] + q.zero_points[0];
}

}  // namespace

Result<std::vector<int>> classes_of(const Tensor& tensor, std::span<const uint8_t> outputs) {
  if (!is_comparable(tensor.type) || tensor.elements() == 0)
    return Error(ErrorCode::kUnsupported, "output '" + tensor.name + "' of " +
                                              std::string(name_of(tensor.type)) + " is no class");
  const size_t element = size_of(tensor.type);
  const auto step = static_cast<size_t>(tensor.bytes());
  std::vector<int> answers;
  for (size_t begin = 0; begin + step <= outputs.size(); begin += step) {
    std::vector<double> values;
    for (size_t at = begin; at < begin + step; at += element)
      values.push_back(value_at(tensor.type, outputs, at));
    const auto largest = std::max_element(values.begin(), values.end());
    answers.push_back(values.size() == 1 ? static_cast<int>(values[0] >= half_of(tensor))
                                         : static_cast<int>(largest - values.begin()));
  }
  return answers;
}

int class_count(const Tensor& tensor) { return std::max(2, static_cast<int>(tensor.elements())); }

Result<Confusion> confusion_of(std::span<const int> labels, std::span<const int> answers,
                               int classes) {
  Confusion confusion;
  const auto size = static_cast<size_t>(classes);
  confusion.counts.assign(size, std::vector<int>(size, 0));
  for (size_t i = 0; i < std::min(labels.size(), answers.size()); ++i) {
    if (labels[i] < 0 || labels[i] >= classes)
      return Error(ErrorCode::kInvalidInput,
                   "label " + std::to_string(labels[i]) + " of input " + std::to_string(i) +
                       ": the output has classes 0 to " + std::to_string(classes - 1));
    ++confusion.counts[static_cast<size_t>(labels[i])][static_cast<size_t>(answers[i])];
    confusion.correct += labels[i] == answers[i] ? 1 : 0;
    ++confusion.total;
  }
  return confusion;
}

}  // namespace tinytune
