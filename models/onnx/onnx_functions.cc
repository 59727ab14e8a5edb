// Elementwise functions. Any expression between DequantizeLinear and QuantizeLinear that depends on
// one byte becomes one table, whether exported as x * HardSigmoid(x) or as HardSwish.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "models/onnx/onnx_families.h"

namespace tinytune {
namespace {

int byte_of(float value, const OnnxScale& scale) {
  const float steps = std::nearbyint(value / scale.scales[0]);
  if (std::isnan(steps)) return -128;  // as onnxruntime's QuantizeLinear
  return static_cast<int>(std::clamp(steps, -1e6F, 1e6F)) + scale.zero_points[0];
}

}  // namespace

std::optional<OnnxClamp> clamp_of(const OnnxImport& import, const OnnxNode& node) {
  if (node.type == "Relu") return OnnxClamp{0};
  if (node.type == "Relu6") return OnnxClamp{0, 6};
  if (node.type != "Clip") return std::nullopt;
  OnnxClamp clamp;
  clamp.low = node.get_float("min", clamp.low);  // attributes before opset 11
  clamp.high = node.get_float("max", clamp.high);
  for (size_t i = 1; i < 3; ++i) {
    if (!node.has_input(i)) continue;
    float& limit = i == 1 ? clamp.low : clamp.high;
    if (const OnnxTensor* c = import.values().constant(node.inputs[i])) {
      if (c->elements() != 1) return std::nullopt;
      limit = static_cast<float>(c->at(0));
    } else {
      const auto real = import.values().real(node, node.inputs[i]);
      if (!real || real->constant.tensor == nullptr || real->constant.tensor->elements() != 1)
        return std::nullopt;
      limit = static_cast<float>(real->constant.real(0, 0));
    }
  }
  // Exporters write the ends of float32's range to mean no limit.
  if (clamp.low == std::numeric_limits<float>::lowest()) clamp.low = OnnxClamp().low;
  if (clamp.high == std::numeric_limits<float>::max()) clamp.high = OnnxClamp().high;
  if (std::isnan(clamp.low) || std::isnan(clamp.high)) return std::nullopt;
  return clamp;
}

Result<std::optional<OnnxFunction>> function_of(OnnxImport& import, const OnnxNode& by,
                                                const std::string& name) {
  using Found = std::optional<OnnxFunction>;
  if (const OnnxTensor* constant = import.values().constant(name)) {
    if (constant->elements() != 1) return Found();
    return Found({-1, std::vector<float>(256, static_cast<float>(constant->at(0)))});
  }
  TT_TRY_ASSIGN(const OnnxReal real, import.values().real(by, name));
  if (real.bytes >= 0) {
    const Quantization& q = import.graph().tensor(real.bytes).quantization;
    OnnxFunction identity{real.bytes, {}};
    for (int x = -128; x < 128; ++x)
      identity.values.push_back(static_cast<float>(x - q.zero_points[0]) * q.scales[0]);
    return Found(std::move(identity));
  }
  if (real.constant.tensor != nullptr) {
    if (real.constant.tensor->elements() != 1) return Found();
    return Found({-1, std::vector<float>(256, static_cast<float>(real.constant.real(0, 0)))});
  }
  if (real.pending.node == nullptr) return Found();
  const OnnxNode& node = *real.pending.node;
  const OnnxOperator* op = find_onnx_operator(node);
  if (op == nullptr || op->function == nullptr) return Found();
  OnnxFunction result{-1, {}};
  std::vector<std::vector<float>> arguments;
  for (const std::string& input : node.inputs) {
    arguments.emplace_back(256, std::numeric_limits<float>::quiet_NaN());
    if (input.empty()) continue;
    TT_TRY_ASSIGN(auto argument, function_of(import, node, input));
    if (!argument) return Found();
    if (argument->source >= 0 && result.source >= 0 && argument->source != result.source)
      return Found();
    result.source = std::max(result.source, argument->source);
    arguments.back() = std::move(argument->values);
  }
  for (size_t x = 0; x < 256; ++x) {
    std::vector<float> at;
    for (const auto& values : arguments) at.push_back(values[x]);
    result.values.push_back(op->function(node, at));
  }
  return Found(std::move(result));
}

TableAttributes table_of(const OnnxFunction& function, const OnnxScale& scale,
                         const OnnxClamp& clamp) {
  TableAttributes attributes;
  for (int x = -128; x < 128; ++x) {
    const float value = function.values[static_cast<size_t>(x + 128)];
    const float limited = std::isnan(value) ? value : std::clamp(value, clamp.low, clamp.high);
    attributes.table[static_cast<uint8_t>(x)] =
        static_cast<uint8_t>(std::clamp(byte_of(limited, scale), -128, 127));
  }
  return attributes;
}

OperatorKind kind_of(const OnnxNode& node) {
  static constexpr std::pair<std::string_view, OperatorKind> kKinds[] = {
      {"Relu", OperatorKind::kRelu},
      {"LeakyRelu", OperatorKind::kLeakyRelu},
      {"HardSwish", OperatorKind::kHardSwish},
      {"Sigmoid", OperatorKind::kLogistic},
      {"Tanh", OperatorKind::kTanh},
      {"Elu", OperatorKind::kElu},
      {"Abs", OperatorKind::kAbs}};
  for (const auto& [name, kind] : kKinds)
    if (node.type.ends_with(name)) return kind;
  return OperatorKind::kQuantize;
}

// Imports Clip and Relu of bytes, with bounds in bytes: exporters narrow the range of bytes so.
Result<int> import_clipped_bytes(OnnxImport& import, const OnnxNode& node, int,
                                 const std::vector<int>& data) {
  const auto limits = clamp_of(import, node);
  if (!limits) return OnnxValues::unsupported(node, "bounds that are no constants");
  const Quantization q = import.graph().tensor(data[0]).quantization;
  const OnnxScale scale{q.scales, q.zero_points, import.values().type_of(node.outputs[0]), 0};
  const auto offset = static_cast<float>(scale.offset());
  if (limits->low <= -128 + offset && limits->high >= 127 + offset) return data[0];
  TableAttributes attributes;
  for (int x = -128; x < 128; ++x) {
    const float byte = static_cast<float>(x) + offset;
    const float kept = std::min(std::max(byte, limits->low), limits->high) - offset;
    attributes.table[static_cast<uint8_t>(x)] =
        static_cast<uint8_t>(static_cast<int>(std::clamp(kept, -128.0F, 127.0F)));
  }
  return import.mapped(node, kind_of(node), data[0], scale, attributes);
}

// Inputs: x, its scale and zero point, the result's scale and zero point.
Result<OnnxResult> import_qlinear_function(OnnxImport& import, const OnnxNode& node) {
  TT_TRY_ASSIGN(const OnnxOperand x, import.operand_at(node, 0));
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 3, x));
  const OnnxOperator* op = find_onnx_operator(node);
  OnnxFunction function{x.id, {}};
  for (int i = -128; i < 128; ++i) {
    const float value = static_cast<float>(i - x.scale.zero_points[0]) * x.scale.scales[0];
    function.values.push_back(op->function(node, std::array{value}));
  }
  const int id = import.mapped(node, kind_of(node), x.id, scale, table_of(function, scale, {}));
  return OnnxResult{id, scale.type};
}

}  // namespace tinytune
