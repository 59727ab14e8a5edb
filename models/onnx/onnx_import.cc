#include "models/onnx/onnx_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "models/onnx/onnx_constants.h"
#include "models/onnx/onnx_operators.h"

namespace tinytune {
OnnxClamp OnnxClamp::then(const OnnxClamp& next) const {
  const auto limited = [&](float x) { return std::min(std::max(x, next.low), next.high); };
  return {limited(low), limited(high)};
}

std::optional<Activation> OnnxClamp::activation() const {
  if (is_none()) return Activation::kNone;
  if (low == 0 && std::isinf(high)) return Activation::kRelu;
  if (low == 0 && high == 6) return Activation::kRelu6;
  if (low == -1 && high == 1) return Activation::kReluN1To1;
  return std::nullopt;
}

Result<int> OnnxImport::bytes(const OnnxNode& node, const std::string& name,
                              const OnnxScale& scale) {
  if (const OnnxTensor* tensor = values_.constant(name))
    return constant_bytes(node, {tensor, scale}, scale);
  if (const auto other = model_.unreadable.find(name); other != model_.unreadable.end())
    return OnnxValues::unsupported(node, "its input " + OnnxValues::shown(name) + " is " +
                                             other->second + ", not int8 or uint8");
  const OnnxBytes* found = values_.find_bytes(name);
  if (found == nullptr)
    return OnnxValues::unsupported(
        node, OnnxValues::shown(name) + " are real numbers; QuantizeLinear is missing before it");
  if (found->type != scale.type)
    return OnnxValues::invalid(
        node, fmt::format("{} is {} and its zero point {}", OnnxValues::shown(name),
                          name_of(found->type), name_of(scale.type)));
  if (found->id < 0) return resolved(node, name, scale);
  const int id = found->id;
  if (graph_.tensor(id).quantization.scales.empty()) {  // an input of the model
    Quantization q = scale.quantization();
    if (found->type != ElementType::kUint8) {
      graph_.give_quantization(id, q);
      return id;
    }
    const int to = graph_.add(name, ElementType::kInt8, graph_.tensor(id).shape, q, false);
    for (int32_t& zero : q.zero_points) zero += 128;
    graph_.give_quantization(id, q);
    graph_.add_operator(OperatorKind::kQuantize, {id}, to);
    values_.set_bytes(name, {to, ElementType::kUint8, {}});
    return to;
  }
  return scale.equals(graph_.tensor(id).quantization) ? id : reread(id, scale);
}

Result<int> OnnxImport::unscaled(const OnnxNode& node, const std::string& name) {
  const OnnxBytes found = *values_.find_bytes(name);
  OnnxScale scale{{1}, {0}, found.type, 0};
  scale.zero_points[0] -= scale.offset();
  if (found.id >= 0 && !graph_.tensor(found.id).quantization.scales.empty()) {
    const Quantization& q = graph_.tensor(found.id).quantization;
    scale.scales = q.scales;
    scale.zero_points = q.zero_points;
  }
  return bytes(node, name, scale);
}

Result<int> OnnxImport::resolved(const OnnxNode& by, const std::string& name,
                                 const OnnxScale& scale) {
  const OnnxBytes found = *values_.find_bytes(name);
  const OnnxNode& node = *found.pending.node;
  std::vector<int> data;
  for (size_t i = 0; i < data_inputs(node); ++i) {
    TT_TRY_ASSIGN(const int id, bytes(node, node.inputs.at(i), scale));
    data.push_back(id);
  }
  const OnnxOperator& op = *find_onnx_operator(node);
  const auto move = op.move != nullptr ? op.move : op.byte_move;
  TT_TRY_ASSIGN(const int id, is_interpolation(node)
                                  ? interpolated(*this, node, data[0], found.type)
                                  : move(*this, node, found.pending.output, data));
  values_.set_bytes(name, {id, found.type, {}});
  return bytes(by, name, scale);
}

Result<OnnxOperand> OnnxImport::operand_at(const OnnxNode& node, size_t at) {
  if (!node.has_input(at)) return OnnxValues::invalid(node, "too few inputs");
  OnnxOperand operand;
  TT_TRY_ASSIGN(operand.scale,
                values_.activation_scale(node, at + 1, values_.type_of(node.inputs[at])));
  TT_TRY_ASSIGN(operand.id, bytes(node, node.inputs[at], operand.scale));
  return operand;
}

Result<OnnxScale> OnnxImport::result_scale(const OnnxNode& node, size_t at,
                                           const OnnxOperand& like) {
  return values_.activation_scale(node, at, like.scale.type);
}

Result<int> OnnxImport::quantised(const OnnxNode& by, const std::string& name,
                                  const OnnxScale& scale, const OnnxClamp& clamp) {
  const Wanted wanted{name, scale.scales, scale.zero_points, clamp.low, clamp.high};
  if (const auto known = quantised_.find(wanted); known != quantised_.end()) return known->second;
  TT_TRY_ASSIGN(const int id, quantised_anew(by, name, scale, clamp));
  quantised_[wanted] = id;
  return id;
}

Result<int> OnnxImport::quantised_anew(const OnnxNode& by, const std::string& name,
                                       const OnnxScale& scale, const OnnxClamp& clamp) {
  TT_TRY_ASSIGN(const OnnxReal real, values_.real(by, name));
  if (real.pending.node != nullptr) return computed(real.pending, scale, clamp);
  int from = real.stored >= 0 ? real.stored : real.bytes;
  if (real.constant.tensor != nullptr) {
    if (real.constant.scale.scales.empty())
      return OnnxValues::unsupported(by, "its input " + OnnxValues::shown(name) +
                                             " is a float32 constant, which is not quantised");
    TT_TRY_ASSIGN(from, constant_bytes(by, real.constant, real.constant.scale));
  }
  const bool same = real.stored < 0 && scale.equals(graph_.tensor(from).quantization);
  if (clamp.is_none()) return same ? from : mapped(by, OperatorKind::kQuantize, from, scale);
  if (real.stored >= 0) from = mapped(by, OperatorKind::kQuantize, from, scale);
  const Quantization& q = graph_.tensor(from).quantization;
  OnnxFunction identity{from, {}};
  for (int x = -128; x < 128; ++x)
    identity.values.push_back(static_cast<float>(x - q.zero_points[0]) * q.scales[0]);
  return mapped(by, kind_of(by), from, scale, table_of(identity, scale, clamp));
}

// Returns the node's result as bytes of this scale. Moves, maxima and clamps commute with
// quantisation, so their operands are quantised with the same scale.
Result<int> OnnxImport::computed(const OnnxPending& pending, const OnnxScale& scale,
                                 const OnnxClamp& clamp) {
  const OnnxNode& node = *pending.node;
  if (const auto limits = clamp_of(*this, node))
    return quantised(node, node.inputs[0], scale, limits->then(clamp));
  const OnnxOperator* op = find_onnx_operator(node);
  if (op == nullptr) return OnnxValues::unsupported(node, "not supported");
  if (is_interpolation(node)) return interpolated_reals(node);
  if (op->move != nullptr) {
    std::vector<int> data;
    for (size_t i = 0; i < data_inputs(node); ++i) {
      TT_TRY_ASSIGN(const int id, quantised(node, node.inputs.at(i), scale, clamp));
      data.push_back(id);
    }
    return op->move(*this, node, pending.output, data);
  }
  const auto is_quantised = [&](const std::string& input) {
    const auto real = values_.real(node, input);
    return real && (real->bytes >= 0 || !real->constant.scale.scales.empty());
  };
  const bool by_kernel =
      op->has_kernel && std::all_of(node.inputs.begin(), node.inputs.end(), is_quantised);
  if (op->function != nullptr && !by_kernel) {
    TT_TRY_ASSIGN(const auto function, function_of(*this, node, node.outputs[0]));
    if (function && function->source >= 0)
      return mapped(node, kind_of(node), function->source, scale,
                    table_of(*function, scale, clamp));
  }
  if (op->real == nullptr)
    return OnnxValues::unsupported(
        node,
        "its input is the result of an operator without QuantizeLinear and DequantizeLinear "
        "between, or its other operand is no single number");
  const auto activation = clamp.activation();
  if (op->fuses && activation) return op->real(*this, node, scale, *activation);
  TT_TRY_ASSIGN(const int id, op->real(*this, node, scale, Activation::kNone));
  if (clamp.is_none()) return id;
  OnnxFunction identity{id, {}};
  for (int x = -128; x < 128; ++x)
    identity.values.push_back(static_cast<float>(x - scale.zero_points[0]) * scale.scales[0]);
  return mapped(node, OperatorKind::kQuantize, id, scale, table_of(identity, scale, clamp));
}

Result<int> OnnxImport::operand(const OnnxNode& node, size_t i) {
  if (!node.has_input(i)) return OnnxValues::invalid(node, "too few inputs");
  TT_TRY_ASSIGN(const OnnxReal real, values_.real(node, node.inputs[i]));
  const std::string input = "its input " + OnnxValues::shown(node.inputs[i]);
  if (real.bytes >= 0) return real.bytes;
  if (real.constant.tensor != nullptr && !real.constant.scale.scales.empty())
    return constant_bytes(node, real.constant, real.constant.scale);
  if (real.pending.node == nullptr)
    return OnnxValues::unsupported(
        node, input + " is float32; QuantizeLinear and DequantizeLinear are missing before it");
  // Between DequantizeLinear and here, only operators that keep values unchanged are allowed.
  const OnnxNode& before = *real.pending.node;
  const OnnxOperator* op = find_onnx_operator(before);
  if (op == nullptr) return OnnxValues::unsupported(before, "not supported");
  if (is_interpolation(before)) return interpolated_reals(before);
  if (op->move == nullptr)
    return OnnxValues::unsupported(node, fmt::format("{} comes from {} without QuantizeLinear and "
                                                     "DequantizeLinear between",
                                                     input, before.type));
  std::vector<int> data;
  for (size_t k = 0; k < data_inputs(before); ++k) {
    TT_TRY_ASSIGN(const int id, operand(before, k));
    data.push_back(id);
    const Quantization &a = graph_.tensor(id).quantization,
                       &b = graph_.tensor(data[0]).quantization;
    if (a.scales != b.scales || a.zero_points != b.zero_points)
      return OnnxValues::unsupported(before,
                                     "operands of several scales, and no QuantizeLinear "
                                     "behind it");
  }
  return op->move(*this, before, real.pending.output, data);
}

namespace {

// Returns the axis of `to` that equals `axis` of `from`, a shape of as many elements; -1: none.
int axis_under(const std::vector<int>& from, const std::vector<int>& to, int axis) {
  if (axis < 0) axis += static_cast<int>(from.size());
  if (axis < 0 || axis >= static_cast<int>(from.size())) return -1;
  const auto extents_before = [](const std::vector<int>& shape, int end) {
    return std::accumulate(shape.begin(), shape.begin() + end, int64_t{1}, std::multiplies<>());
  };
  for (int i = 0; i < static_cast<int>(to.size()); ++i)
    if (to[static_cast<size_t>(i)] == from[static_cast<size_t>(axis)] &&
        extents_before(to, i) == extents_before(from, axis))
      return i;
  return -1;
}

}  // namespace

Result<std::optional<OnnxConstant>> OnnxImport::constant_real(const OnnxNode& node,
                                                              const std::string& name) {
  TT_TRY_ASSIGN(const OnnxReal real, values_.real(node, name));
  if (real.constant.tensor != nullptr) return std::optional(real.constant);
  const OnnxNode* before = real.pending.node;
  if (before == nullptr) return std::optional<OnnxConstant>();
  const OnnxOperator* op = find_onnx_operator(*before);
  if (op == nullptr || op->move == nullptr || data_inputs(*before) != 1)
    return std::optional<OnnxConstant>();
  TT_TRY_ASSIGN(auto from, constant_real(*before, before->inputs[0]));
  if (!from) return from;
  auto inputs = values_.constants(*before);
  inputs[0] = from->tensor;
  TT_TRY_ASSIGN(auto folded, fold_constant(*before, inputs));
  if (!folded) return std::optional<OnnxConstant>();
  OnnxScale scale = from->scale;
  if (scale.scales.size() > 1 && before->type == "Transpose") {
    const auto rank = static_cast<int64_t>(folded->shape.size());
    const int64_t axis = scale.axis < 0 ? scale.axis + rank : scale.axis;
    std::vector<int64_t> perm;
    for (int64_t i = rank; i-- > 0;) perm.push_back(i);
    perm = before->get("perm", perm);
    scale.axis = static_cast<int>(std::find(perm.begin(), perm.end(), axis) - perm.begin());
  } else if (scale.scales.size() > 1) {
    scale.axis = axis_under(from->tensor->shape, folded->shape, scale.axis);
    if (scale.axis < 0)
      return OnnxValues::unsupported(*before, "a shape that divides the axis of several scales");
  }
  OnnxTensor& kept = model_.initializers["moved:" + name];
  kept = std::move(*folded);
  return std::optional(OnnxConstant{&kept, scale});
}

Result<int> OnnxImport::constant_bytes(const OnnxNode& node, const OnnxConstant& constant,
                                       const OnnxScale& scale) {
  const OnnxTensor& tensor = *constant.tensor;
  if (tensor.type != ElementType::kInt8 && tensor.type != ElementType::kUint8)
    return OnnxValues::unsupported(
        node, fmt::format("a constant operand of {}, not int8 or uint8", name_of(tensor.type)));
  if (tensor.type != scale.type)
    return OnnxValues::invalid(node, "a zero point of another type than the constant's");
  if (tensor.elements() < 1) return OnnxValues::invalid(node, "an empty constant");
  if (scale.scales.size() != 1)
    return OnnxValues::unsupported(node, "a constant operand with several scales");
  std::vector<uint8_t> data = tensor.data;
  if (tensor.type == ElementType::kUint8)
    for (uint8_t& byte : data) byte ^= 0x80;
  return graph_.add_constant("constant", ElementType::kInt8, tensor.shape, std::move(data),
                             scale.quantization());
}

int OnnxImport::mapped(const OnnxNode& node, OperatorKind kind, int from, const OnnxScale& scale,
                       Attributes attributes) {
  const int to = graph_.add(node.outputs[0], ElementType::kInt8, graph_.tensor(from).shape,
                            scale.quantization(), graph_.channels_last(from));
  graph_.add_operator(kind, {from}, to, std::move(attributes));
  return to;
}

int OnnxImport::reread(int id, const OnnxScale& scale) {
  const int to = graph_.reshaped(id, graph_.tensor(id).shape, graph_.channels_last(id));
  graph_.give_quantization(to, scale.quantization());
  return to;
}

}  // namespace tinytune
