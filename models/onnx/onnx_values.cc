#include "models/onnx/onnx_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/tflite/model.h"

namespace tinytune {
namespace {

std::string label_of(const OnnxNode& node) {
  return fmt::format("operator {} {}: ", node.index, printable_ascii(node.type, 40));
}

}  // namespace

Error OnnxValues::invalid(const OnnxNode& node, const std::string& why) {
  return Error(ErrorCode::kInvalidInput, label_of(node) + why);
}

Error OnnxValues::unsupported(const OnnxNode& node, const std::string& why) {
  return Error(ErrorCode::kUnsupported, label_of(node) + why);
}

std::string OnnxValues::shown(const std::string& name) {
  return "'" + printable_ascii(name, 80) + "'";
}

double OnnxConstant::real(size_t i, size_t channel) const {
  if (scale.scales.empty()) return tensor->at(i);
  const size_t c = scale.scales.size() > 1 ? channel : 0;
  const double zero = scale.zero_points[c] + scale.offset();
  return static_cast<float>(tensor->at(i) - zero) * scale.scales[c];
}

std::string_view OnnxValues::instead_of(const std::string& type) {
  return type.ends_with("int16")
             ? "; onnxruntime computes 16-bit networks in float32, whose last bits are not fixed: "
               "quantise to int8 or uint8"
             : "";
}

Error OnnxValues::in_float(const OnnxNode& node) const {
  const auto narrow = std::find_if(model_.unreadable.begin(), model_.unreadable.end(),
                                   [](const auto& c) { return c.second.ends_with("float16"); });
  if (narrow != model_.unreadable.end())
    return unsupported(node, fmt::format("the network computes in {}; export it in float32 and "
                                         "quantise that",
                                         narrow->second));
  return unsupported(
      node,
      "its tensors are float32, and nothing says how they become integers; quantise the network: "
      "`python3 -m onnxruntime.quantization.preprocess --input float.onnx --output prepared.onnx`, "
      "then `python3 -m onnxruntime.quantization.static_quantize_runner -i prepared.onnx -o "
      "int8.onnx --activation_type qint8 --per_channel`; where they hold integers already, as "
      "Deeploy's do, give --input-type NAME=uint8|int8|int32 for each input");
}

const OnnxTensor* OnnxValues::constant(const std::string& name) const {
  const auto found = model_.initializers.find(name);
  return found == model_.initializers.end() ? nullptr : &found->second;
}

std::vector<const OnnxTensor*> OnnxValues::constants(const OnnxNode& node) const {
  std::vector<const OnnxTensor*> result;
  for (const std::string& name : node.inputs) result.push_back(constant(name));
  return result;
}

Result<std::optional<std::vector<int64_t>>> OnnxValues::numbers(const OnnxNode& node,
                                                                const char* attribute,
                                                                size_t at) const {
  const auto found = node.ints.find(attribute);
  if (found != node.ints.end()) return std::optional(found->second);
  if (!node.has_input(at)) return std::optional<std::vector<int64_t>>();
  const OnnxTensor* given = constant(node.inputs[at]);
  if (given == nullptr)
    return unsupported(node, std::string("its ") + attribute + " are no constant");
  std::vector<int64_t> values;
  for (size_t i = 0; i < static_cast<size_t>(given->elements()); ++i)
    values.push_back(given->integer(i));
  return std::optional(std::move(values));
}

bool OnnxValues::knows(const std::string& name) const {
  return constant(name) != nullptr || model_.unreadable.count(name) != 0 ||
         bytes_.count(name) != 0 || reals_.count(name) != 0;
}

const OnnxBytes* OnnxValues::find_bytes(const std::string& name) const {
  const auto found = bytes_.find(name);
  return found == bytes_.end() ? nullptr : &found->second;
}

ElementType OnnxValues::type_of(const std::string& name) const {
  if (const OnnxBytes* bytes = find_bytes(name)) return bytes->type;
  if (const OnnxTensor* tensor = constant(name)) return tensor->type;
  return ElementType::kInt8;
}

Result<OnnxScale> OnnxValues::scale(const OnnxNode& node, size_t at, ElementType data) const {
  if (!node.has_input(at)) return invalid(node, "it has no scale");
  const OnnxTensor* scales = constant(node.inputs[at]);
  const auto other = model_.unreadable.find(node.inputs[at]);
  if (other != model_.unreadable.end())
    return unsupported(
        node, "its scale " + shown(node.inputs[at]) + " is " + other->second + ", not float32");
  if (scales == nullptr || scales->type != ElementType::kFloat32 || scales->elements() < 1)
    return unsupported(node, "its scale " + shown(node.inputs[at]) + " is no float32 constant");
  if (node.get("block_size", int64_t{0}) != 0) return unsupported(node, "scales of blocks");
  OnnxScale result;
  result.type = data;
  result.axis = static_cast<int>(node.get("axis", int64_t{1}));
  for (int64_t i = 0; i < scales->elements(); ++i) {
    result.scales.push_back(static_cast<float>(scales->at(static_cast<size_t>(i))));
    if (!(result.scales.back() > 0) || !std::isfinite(result.scales.back()))
      return invalid(node, fmt::format("a scale of {}", result.scales.back()));
  }
  result.zero_points.assign(result.scales.size(), 0);
  if (node.has_input(at + 1)) {
    const std::string& name = node.inputs[at + 1];
    const OnnxTensor* zeros = constant(name);
    if (const auto type = model_.unreadable.find(name); type != model_.unreadable.end())
      return unsupported(node, fmt::format("its zero point {} is {}{}", shown(name), type->second,
                                           instead_of(type->second)));
    if (zeros == nullptr || (zeros->elements() != scales->elements() && zeros->elements() != 1))
      return unsupported(node, "its zero point is no constant of the scale's size");
    result.type = zeros->type;
    result.four_bits = zeros->four_bits;
    for (size_t i = 0; i < result.zero_points.size(); ++i)
      result.zero_points[i] = static_cast<int32_t>(zeros->at(zeros->elements() == 1 ? 0 : i));
  }
  for (int32_t& zero : result.zero_points) zero -= result.offset();
  return result;
}

Result<OnnxScale> OnnxValues::activation_scale(const OnnxNode& node, size_t at,
                                               ElementType data) const {
  TT_TRY_ASSIGN(OnnxScale result, scale(node, at, data));
  if (result.scales.size() != 1) return unsupported(node, "an activation with several scales");
  if (result.four_bits) return unsupported(node, "activations of 4 bits, not int8 or uint8");
  if (result.type != ElementType::kInt8 && result.type != ElementType::kUint8)
    return unsupported(node,
                       fmt::format("activations of {}, not int8 or uint8", name_of(result.type)));
  return result;
}

Result<OnnxReal> OnnxValues::real(const OnnxNode& node, const std::string& name) const {
  const auto found = reals_.find(name);
  if (found != reals_.end()) return found->second;
  const OnnxTensor* tensor = constant(name);
  if (tensor != nullptr && tensor->type == ElementType::kFloat32) {
    OnnxReal real;
    real.constant.tensor = tensor;
    return real;
  }
  if (const auto other = model_.unreadable.find(name); other != model_.unreadable.end())
    return unsupported(node, "its input " + shown(name) + " is " + other->second);
  return unsupported(node, "its input " + shown(name) +
                               (knows(name) ? " are integers without DequantizeLinear behind them"
                                            : " is absent"));
}

Status OnnxValues::quantise_constant(const OnnxNode& node, const OnnxTensor& from,
                                     const OnnxScale& scale) {
  if (scale.type != ElementType::kInt8 && scale.type != ElementType::kUint8)
    return unsupported(node, fmt::format("constants of {}", name_of(scale.type)));
  OnnxTensor to;
  to.type = ElementType::kInt8;
  to.shape = from.shape;
  const auto rank = static_cast<int>(from.shape.size());
  const int axis = scale.axis < 0 ? scale.axis + rank : scale.axis;
  int64_t inner = 1;
  if (scale.scales.size() > 1) {
    if (axis < 0 || axis >= rank ||
        from.shape[static_cast<size_t>(axis)] != static_cast<int>(scale.scales.size()))
      return invalid(node, "its scales do not fit its axis");
    for (int i = axis + 1; i < rank; ++i) inner *= from.shape[static_cast<size_t>(i)];
  }
  const auto count = static_cast<int64_t>(scale.scales.size());
  const int least = scale.four_bits && scale.type == ElementType::kInt8 ? -8 : -128;
  const int most = scale.four_bits ? least + 15 : 127;
  for (int64_t i = 0; i < from.elements(); ++i) {
    const auto c = static_cast<size_t>(i / inner % count);
    const auto value = static_cast<float>(from.at(static_cast<size_t>(i)));
    const float steps = std::isnan(value) ? 0 : std::nearbyint(value / scale.scales[c]);
    const float low = static_cast<float>(least - scale.zero_points[c]);
    const float high = static_cast<float>(most - scale.zero_points[c]);
    to.data.push_back(static_cast<uint8_t>(static_cast<int>(std::clamp(steps, low, high)) +
                                           scale.zero_points[c]));
  }
  if (scale.type == ElementType::kUint8) {  // as DequantizeLinear will find it
    to.type = ElementType::kUint8;
    for (uint8_t& byte : to.data) byte ^= 0x80;
  }
  model_.initializers[node.outputs.at(0)] = std::move(to);
  return ok_status();
}

}  // namespace tinytune
