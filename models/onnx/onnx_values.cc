#include "models/onnx/onnx_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/tflite_model.h"

namespace tinytune {
namespace {

std::string shown(const std::string& name) { return "'" + printable_ascii(name, 80) + "'"; }

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

Error OnnxValues::in_float(const OnnxNode& node) {
  return unsupported(
      node,
      "computes in float32; quantise the network: `python3 -m onnxruntime.quantization.preprocess "
      "--input float.onnx --output prepared.onnx`, then `python3 -m "
      "onnxruntime.quantization.static_quantize_runner -i prepared.onnx -o int8.onnx "
      "--activation_type qint8 --per_channel`");
}

const OnnxTensor* OnnxValues::constant(const std::string& name) const {
  const auto found = model_.initializers.find(name);
  return found == model_.initializers.end() ? nullptr : &found->second;
}

bool OnnxValues::knows(const std::string& name) const {
  return constant(name) != nullptr || bytes_.count(name) != 0 || reals_.count(name) != 0;
}

Result<OnnxScale> OnnxValues::scale(const OnnxNode& node, size_t at) const {
  if (node.inputs.size() <= at) return invalid(node, "it has no scale");
  const OnnxTensor* scales = constant(node.inputs[at]);
  if (scales == nullptr || scales->type != ElementType::kFloat32 || scales->elements() < 1)
    return unsupported(node, "its scale " + shown(node.inputs[at]) + " is no float32 constant");
  OnnxScale result;
  result.axis = static_cast<int>(node.get("axis", int64_t{1}));
  for (int64_t i = 0; i < scales->elements(); ++i) {
    result.scales.push_back(static_cast<float>(scales->at(static_cast<size_t>(i))));
    if (!(result.scales.back() > 0) || !std::isfinite(result.scales.back()))
      return invalid(node, fmt::format("a scale of {}", result.scales.back()));
  }
  result.zero_points.assign(result.scales.size(), 0);
  if (node.inputs.size() > at + 1 && !node.inputs[at + 1].empty()) {
    const OnnxTensor* zeros = constant(node.inputs[at + 1]);
    if (zeros == nullptr || zeros->elements() != scales->elements())
      return unsupported(node, "its zero point is no constant of the scale's size");
    result.type = zeros->type;
    for (size_t i = 0; i < result.zero_points.size(); ++i)
      result.zero_points[i] = static_cast<int32_t>(zeros->at(i));
  }
  if (result.type == ElementType::kUint8)
    for (int32_t& zero : result.zero_points) zero -= 128;
  return result;
}

Result<OnnxScale> OnnxValues::activation_scale(const OnnxNode& node, size_t at) const {
  TT_TRY_ASSIGN(OnnxScale result, scale(node, at));
  if (result.scales.size() != 1) return unsupported(node, "an activation with several scales");
  if (result.type != ElementType::kInt8 && result.type != ElementType::kUint8)
    return unsupported(node,
                       fmt::format("activations of {}, not int8 or uint8", name_of(result.type)));
  return result;
}

Status OnnxValues::add_inputs() {
  for (const OnnxValue& input : model_.inputs) {
    const int id = graph_.add(input.name, input.type, input.shape, {}, false);
    graph_.add_input(id);
    if (input.type == ElementType::kFloat32) {
      OnnxReal real;
      real.stored = id;
      set_real(input.name, real);
    } else if (input.type == ElementType::kInt8 || input.type == ElementType::kUint8) {
      set_bytes(input.name, id, input.type);
    } else {
      return Error(ErrorCode::kUnsupported,
                   fmt::format("input {} is {}, not float32, int8 or uint8", shown(input.name),
                               name_of(input.type)));
    }
  }
  return ok_status();
}

Status OnnxValues::add_outputs() {
  for (const OnnxValue& output : model_.outputs) {
    const auto real = reals_.find(output.name);
    const auto bytes = bytes_.find(output.name);
    if (real != reals_.end() && real->second.bytes >= 0) {
      const int from = graph_.to_onnx_order(real->second.bytes);
      const int to =
          graph_.add(output.name, ElementType::kFloat32, graph_.tensor(from).shape, {}, false);
      graph_.add_operator(OperatorKind::kDequantize, {from}, to);
      graph_.add_output(to);
    } else if (real != reals_.end() && real->second.node != nullptr) {
      return in_float(*real->second.node);
    } else if (bytes != bytes_.end()) {
      int id = graph_.to_onnx_order(bytes->second.id);
      const Tensor from = graph_.tensor(id);
      if (bytes->second.type == ElementType::kUint8) {
        Quantization q = from.quantization;
        q.zero_points.at(0) += 128;
        id = graph_.add(output.name, ElementType::kUint8, from.shape, q, false);
        graph_.add_operator(OperatorKind::kQuantize, {from.id}, id);
      }
      graph_.add_output(id);
    } else {
      return Error(ErrorCode::kInvalidInput,
                   fmt::format("output {} is never computed", shown(output.name)));
    }
  }
  return ok_status();
}

Result<int> OnnxValues::bytes(const OnnxNode& node, const std::string& name,
                              const OnnxScale& scale) {
  const auto found = bytes_.find(name);
  if (found == bytes_.end()) return invalid(node, shown(name) + " is read before it is computed");
  Bytes& bytes = found->second;
  if (graph_.tensor(bytes.id).quantization.scales.empty()) {  // an input of the model
    Quantization q = scale.quantization();
    if (bytes.type == ElementType::kUint8) {
      const Tensor input = graph_.tensor(bytes.id);
      bytes.id = graph_.add(name, ElementType::kInt8, input.shape, q, false);
      for (int32_t& zero : q.zero_points) zero += 128;
      graph_.give_quantization(input.id, q);
      graph_.add_operator(OperatorKind::kQuantize, {input.id}, bytes.id);
    } else {
      graph_.give_quantization(bytes.id, q);
    }
  }
  const Quantization& q = graph_.tensor(bytes.id).quantization;
  if (q.scales != scale.scales || q.zero_points != scale.zero_points)
    return unsupported(node, shown(name) + " is read with another scale than it is written with");
  return bytes.id;
}

Result<OnnxReal> OnnxValues::real(const OnnxNode& node, const std::string& name) const {
  const auto found = reals_.find(name);
  if (found != reals_.end()) return found->second;
  if (constant(name) != nullptr) return in_float(node);  // a float constant without a scale
  return invalid(node, shown(name) + " is read before it is computed, or is no real number");
}

Status OnnxValues::quantise_constant(const OnnxNode& node, const OnnxTensor& from,
                                     const OnnxScale& scale) {
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
  for (int64_t i = 0; i < from.elements(); ++i) {
    const auto c = static_cast<size_t>(i / inner % count);
    const float steps =
        std::nearbyint(static_cast<float>(from.at(static_cast<size_t>(i))) / scale.scales[c]);
    const float low = static_cast<float>(-128 - scale.zero_points[c]);
    const float high = static_cast<float>(127 - scale.zero_points[c]);
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
