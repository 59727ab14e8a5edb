#include "models/onnx/onnx_constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "models/limits.h"
#include "models/onnx/onnx_shapes.h"
#include "models/onnx/onnx_values.h"

namespace tinytune {
namespace {

using Inputs = std::vector<const OnnxTensor*>;
using Folded = Result<std::optional<OnnxTensor>>;

void store(OnnxTensor& to, double value) {
  if (std::isnan(value) && to.type != ElementType::kFloat32) value = 0;
  const auto push = [&](auto element) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&element);
    to.data.insert(to.data.end(), bytes, bytes + sizeof element);
  };
  switch (to.type) {
    case ElementType::kFloat32:
      return push(static_cast<float>(value));
    case ElementType::kInt64:
      return push(static_cast<int64_t>(std::clamp(value, -9e18, 9e18)));
    case ElementType::kInt32:
      return push(static_cast<int32_t>(std::clamp<double>(value, INT32_MIN, INT32_MAX)));
    case ElementType::kBool:
      return push(static_cast<uint8_t>(value != 0));
    default:
      return push(static_cast<uint8_t>(static_cast<int>(std::clamp(value, -256.0, 256.0))));
  }
}

size_t at_axis(const OnnxTensor& tensor, int64_t axis) {
  const auto rank = static_cast<int64_t>(tensor.shape.size());
  return static_cast<size_t>(
      std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, std::max<int64_t>(rank - 1, 0)));
}

int64_t product(const std::vector<int>& shape, size_t first, size_t last) {
  int64_t count = 1;
  for (size_t i = first; i < last; ++i) count *= shape[i];
  return count;
}

// Returns a tensor whose element i is element `element(i)` of the input.
OnnxTensor picked(const OnnxTensor& from, std::vector<int> shape,
                  const std::function<int64_t(int64_t)>& element) {
  OnnxTensor to{from.type, std::move(shape), {}};
  const size_t size = size_of(from.type);
  const int64_t elements = to.elements();
  to.data.resize(static_cast<size_t>(elements) * size);
  for (int64_t i = 0; i < elements; ++i)
    std::memcpy(to.data.data() + static_cast<size_t>(i) * size,
                from.data.data() + static_cast<size_t>(element(i)) * size, size);
  return to;
}

// Gathers `places` along an axis.
OnnxTensor taken(const OnnxTensor& from, size_t axis, const std::vector<int64_t>& places,
                 const std::vector<int>& in_place_of_axis) {
  const int64_t inner = product(from.shape, axis + 1, from.shape.size()), extent = from.shape[axis];
  std::vector<int> shape(from.shape.begin(), from.shape.begin() + static_cast<ptrdiff_t>(axis));
  shape.insert(shape.end(), in_place_of_axis.begin(), in_place_of_axis.end());
  shape.insert(shape.end(), from.shape.begin() + static_cast<ptrdiff_t>(axis) + 1,
               from.shape.end());
  const auto count = static_cast<int64_t>(places.size());
  return picked(from, shape, [&, inner, extent, count](int64_t i) {
    return (i / inner / count * extent + places[static_cast<size_t>(i / inner % count)]) * inner +
           i % inner;
  });
}

Folded cast(const OnnxNode& node, const Inputs& inputs) {
  OnnxTensor to{ElementType::kFloat32, inputs[0]->shape, {}};
  switch (node.get("to", int64_t{1})) {
    case 1:
      break;
    case 6:
      to.type = ElementType::kInt32;
      break;
    case 7:
      to.type = ElementType::kInt64;
      break;
    case 3:
      to.type = ElementType::kInt8;
      break;
    case 2:
      to.type = ElementType::kUint8;
      break;
    default:
      return std::optional<OnnxTensor>();
  }
  for (size_t i = 0; i < static_cast<size_t>(inputs[0]->elements()); ++i)
    store(to, inputs[0]->at(i));
  return std::optional<OnnxTensor>(std::move(to));
}

Folded gather(const OnnxNode& node, const Inputs& inputs) {
  if (inputs.size() < 2 || inputs[1] == nullptr || inputs[0]->shape.empty())
    return OnnxValues::invalid(node, "its operands do not fit");
  const size_t axis = at_axis(*inputs[0], node.get("axis", int64_t{0}));
  std::vector<int64_t> places;
  for (size_t i = 0; i < static_cast<size_t>(inputs[1]->elements()); ++i) {
    const int64_t at = inputs[1]->integer(i), extent = inputs[0]->shape[axis];
    places.push_back(at < 0 ? at + extent : at);
    if (places.back() < 0 || places.back() >= extent)
      return OnnxValues::invalid(node, "an index outside its input");
  }
  return std::optional(taken(*inputs[0], axis, places, inputs[1]->shape));
}

Folded slice(const OnnxNode& node, const Inputs& inputs) {
  OnnxTensor result = *inputs[0];
  TT_TRY_ASSIGN(const auto ranges, sliced_ranges(node, result.shape, inputs));
  for (const OnnxRange& range : ranges)
    result = taken(result, range.axis, range.places(), {static_cast<int>(range.count)});
  return std::optional<OnnxTensor>(std::move(result));
}

Folded concat(const OnnxNode& node, const Inputs& inputs) {
  const size_t axis = at_axis(*inputs[0], node.get("axis", int64_t{0}));
  OnnxTensor result{inputs[0]->type, inputs[0]->shape, {}};
  if (result.shape.empty()) return OnnxValues::invalid(node, "scalars");
  result.shape[axis] = 0;
  const int64_t outer = product(inputs[0]->shape, 0, axis);
  for (const OnnxTensor* input : inputs) {
    if (input == nullptr || input->shape.size() != result.shape.size() ||
        input->type != result.type || product(input->shape, 0, axis) != outer)
      return OnnxValues::invalid(node, "its operands do not fit");
    result.shape[axis] += input->shape[axis];
  }
  for (int64_t o = 0; o < outer; ++o)
    for (const OnnxTensor* input : inputs) {
      const auto part = static_cast<ptrdiff_t>(input->data.size()) / outer;
      result.data.insert(result.data.end(), input->data.begin() + o * part,
                         input->data.begin() + (o + 1) * part);
    }
  return std::optional<OnnxTensor>(std::move(result));
}

Folded transpose(const OnnxNode& node, const Inputs& inputs) {
  const OnnxTensor& from = *inputs[0];
  std::vector<int64_t> axes;
  for (size_t i = from.shape.size(); i-- > 0;) axes.push_back(static_cast<int64_t>(i));
  axes = node.get("perm", axes);
  std::vector<int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> shape;
  std::vector<int64_t> steps;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted.size() != from.shape.size() || sorted[i] != static_cast<int64_t>(i))
      return OnnxValues::invalid(node, "perm is no permutation");
    const auto axis = static_cast<size_t>(axes[i]);
    shape.push_back(from.shape[axis]);
    steps.push_back(product(from.shape, axis + 1, from.shape.size()));
  }
  return std::optional(picked(from, shape, [&](int64_t i) {
    int64_t at = 0;
    for (size_t axis = shape.size(); axis-- > 0; i /= shape[axis])
      at += i % shape[axis] * steps[axis];
    return at;
  }));
}

Folded fill(const OnnxNode& node, const Inputs& inputs) {
  OnnxTensor element{ElementType::kFloat32, {1}, std::vector<uint8_t>(sizeof(float))};
  if (const auto given = node.tensors.find("value"); given != node.tensors.end())
    element = given->second;
  if (element.elements() != 1)
    return OnnxValues::unsupported(node, "a value that is no single number of a type known here");
  std::vector<int> shape;
  int64_t elements = 1;
  for (size_t i = 0; i < static_cast<size_t>(inputs[0]->elements()); ++i) {
    const int64_t extent = inputs[0]->integer(i);
    if (extent < 0 || (elements *= extent) > kMostTensorBytes)
      return OnnxValues::invalid(node, "an extent out of range");
    shape.push_back(static_cast<int>(extent));
  }
  return std::optional(picked(element, std::move(shape), [](int64_t) { return 0; }));
}

// Clamps the elements to constant bounds; a null bound is absent.
Folded clip(const OnnxNode& node, const Inputs& inputs) {
  double low = node.get_float("min", -INFINITY), high = node.get_float("max", INFINITY);
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    if (inputs[i]->elements() != 1) return OnnxValues::invalid(node, "a bound of several numbers");
    (i == 1 ? low : high) = inputs[i]->at(0);
  }
  OnnxTensor to{inputs[0]->type, inputs[0]->shape, {}};
  for (size_t i = 0; i < static_cast<size_t>(inputs[0]->elements()); ++i)
    store(to, std::min(std::max(inputs[0]->at(i), low), high));
  return std::optional<OnnxTensor>(std::move(to));
}

// Applies f to operands of equal shapes, or to one and a single number; folds no others.
Folded arithmetic(const OnnxNode& node, const Inputs& inputs, double (*f)(double, double)) {
  if (inputs.size() != 2 || inputs[1] == nullptr) return OnnxValues::invalid(node, "its operands");
  const OnnxTensor &a = *inputs[0], &b = *inputs[1];
  const int64_t elements = std::max(a.elements(), b.elements());
  if (a.type != b.type || a.elements() < 1 || b.elements() < 1 ||
      (a.shape != b.shape && a.elements() != 1 && b.elements() != 1))
    return std::optional<OnnxTensor>();
  OnnxTensor result{a.type, a.elements() == 1 ? b.shape : a.shape, {}};
  for (int64_t i = 0; i < elements; ++i)
    store(result, f(a.at(static_cast<size_t>(i % a.elements())),
                    b.at(static_cast<size_t>(i % b.elements()))));
  return std::optional<OnnxTensor>(std::move(result));
}

bool is_whole(const OnnxTensor& tensor) { return tensor.type != ElementType::kFloat32; }

}  // namespace

OnnxTensor shape_tensor(const OnnxNode& node, const std::vector<int>& shape) {
  const auto rank = static_cast<int64_t>(shape.size());
  const auto bound = [&](const char* name, int64_t otherwise) {
    const int64_t given = node.get(name, otherwise);
    return std::clamp<int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  OnnxTensor result{ElementType::kInt64, {}, {}};
  for (int64_t i = bound("start", 0); i < bound("end", rank); ++i)
    store(result, shape[static_cast<size_t>(i)]);
  result.shape = {static_cast<int>(result.data.size() / sizeof(int64_t))};
  return result;
}

Folded fold_constant(const OnnxNode& node, const Inputs& inputs) {
  if (inputs.empty() || inputs[0] == nullptr) return std::optional<OnnxTensor>();
  const std::string& type = node.type;
  if (type == "Identity" || type == "Dropout") return std::optional(*inputs[0]);
  if (type == "Cast") return cast(node, inputs);
  if (type == "Shape") return std::optional(shape_tensor(node, inputs[0]->shape));
  if (type == "Gather") return gather(node, inputs);
  if (type == "Slice") return slice(node, inputs);
  if (type == "Concat") return concat(node, inputs);
  if (type == "Transpose") return transpose(node, inputs);
  if (type == "ConstantOfShape") return fill(node, inputs);
  if (type == "Clip") return clip(node, inputs);
  if (type == "Reshape" || type == "Flatten" || type == "Squeeze" || type == "Unsqueeze") {
    OnnxTensor result = *inputs[0];
    TT_TRY_ASSIGN(result.shape,
                  reshaped_shape(node, result.shape, inputs.size() > 1 ? inputs[1] : nullptr));
    return std::optional<OnnxTensor>(std::move(result));
  }
  if (type == "Add") return arithmetic(node, inputs, [](double a, double b) { return a + b; });
  if (type == "Sub") return arithmetic(node, inputs, [](double a, double b) { return a - b; });
  if (type == "Mul") return arithmetic(node, inputs, [](double a, double b) { return a * b; });
  if (type == "Div")
    return is_whole(*inputs[0])
               ? arithmetic(node, inputs,
                            [](double a, double b) { return b == 0 ? 0 : std::trunc(a / b); })
               : arithmetic(node, inputs, [](double a, double b) { return a / b; });
  return std::optional<OnnxTensor>();
}

}  // namespace tinytune
