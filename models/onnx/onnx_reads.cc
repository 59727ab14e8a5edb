// Reads one node: folds it to a constant, computes its bytes at once, or records a real number that
// waits for its QuantizeLinear.
#include <fmt/format.h>

#include <algorithm>

#include "models/onnx/onnx_constants.h"
#include "models/onnx/onnx_import.h"
#include "models/onnx/onnx_operators.h"

namespace tinytune {
namespace {

/// Most operators between DequantizeLinear and QuantizeLinear; exporters write three or four.
constexpr int kLongestStretch = 16;

/// TensorProto's type codes: of real numbers, then of QuantizeLinear's results.
constexpr int64_t kFloatCode = 1;

constexpr int64_t kUint8Code = 2, kInt8Code = 3, kUint16Code = 4, kInt16Code = 5, kUint4Code = 21,
                  kInt4Code = 22;

}  // namespace

Status OnnxImport::read(const OnnxNode& node) {
  if (node.outputs.empty() || node.inputs.empty())
    return OnnxValues::invalid(node, "it has no inputs or no outputs");
  for (const std::string& name : node.inputs)
    if (!name.empty() && !values_.knows(name))
      return OnnxValues::invalid(node, "it reads what is not computed before");
  for (const std::string& name : node.outputs)
    if (values_.knows(name)) return OnnxValues::invalid(node, "it computes what is there already");
  TT_TRY_ASSIGN(const bool is_constant, read_constant(node));
  if (is_constant) return ok_status();
  if (node.type == "QuantizeLinear") return read_quantize(node);
  if (node.type == "DequantizeLinear") return read_dequantize(node);
  const OnnxOperator* op = find_onnx_operator(node);
  if (op != nullptr && !op->refused.empty())
    return OnnxValues::unsupported(node, std::string(op->refused));
  const OnnxBytes* first = values_.find_bytes(node.inputs[0]);
  if (node.type == "Cast" && first != nullptr && first->is_data() &&
      node.get("to", int64_t{0}) == kFloatCode) {
    const OnnxScale one{{1}, {first->type == ElementType::kUint8 ? -128 : 0}, first->type, 0};
    OnnxReal real;
    TT_TRY_ASSIGN(real.bytes, bytes(node, node.inputs[0], one));
    values_.set_real(node.outputs[0], real);
    return ok_status();
  }
  if (first != nullptr && !first->is_data() && op != nullptr && op->whole != nullptr) {
    TT_TRY_ASSIGN(const OnnxResult result, op->whole(*this, node));
    values_.set_bytes(node.outputs[0], {result.id, result.type, {}});
    return ok_status();
  }
  if (first != nullptr && !first->is_data() && (op == nullptr || !op->takes_condition))
    return OnnxValues::unsupported(
        node, fmt::format("its input {} is {}, not int8 or uint8",
                          OnnxValues::shown(node.inputs[0]), name_of(first->type)));
  if (op != nullptr && op->bytes != nullptr) {
    TT_TRY_ASSIGN(const OnnxResult result, op->bytes(*this, node));
    values_.set_bytes(node.outputs[0], {result.id, result.type, {}});
    return ok_status();
  }
  if (op != nullptr && first != nullptr && (op->move != nullptr || op->byte_move != nullptr))
    return read_move(node);
  OnnxReal real;  // computed once its result becomes bytes
  for (const std::string& name : node.inputs)
    if (const auto input = values_.real(node, name); input)
      real.depth = std::max(real.depth, input->depth + 1);
  if (real.depth > kLongestStretch)
    return OnnxValues::unsupported(
        node,
        fmt::format("more than {} operators without QuantizeLinear between", kLongestStretch));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    real.pending = {&node, static_cast<int>(i)};
    if (!node.outputs[i].empty()) values_.set_real(node.outputs[i], real);
  }
  return ok_status();
}

Result<std::optional<std::vector<int>>> OnnxImport::shape_of(const std::string& name) const {
  using Shape = std::optional<std::vector<int>>;
  if (const OnnxTensor* tensor = values_.constant(name)) return Shape(tensor->shape);
  if (const OnnxBytes* bytes = values_.find_bytes(name); bytes != nullptr && bytes->id >= 0)
    return Shape(graph_.onnx_shape(bytes->id));
  OnnxNode by;
  if (const auto real = values_.real(by, name); real) {
    if (real->bytes >= 0) return Shape(graph_.onnx_shape(real->bytes));
    if (real->stored >= 0) return Shape(graph_.onnx_shape(real->stored));
    // The shape does not depend on the scale, so any scale will do.
    OnnxImport trial = *this;
    if (const auto id = trial.quantised(by, name, {{1}, {0}, ElementType::kInt8, 0}); id)
      return Shape(trial.graph_.onnx_shape(*id));
  }
  const auto said = model_.shapes.find(name);
  return said == model_.shapes.end() ? Shape() : Shape(said->second);
}

// Folds the node if its inputs are constants; returns whether it did.
Result<bool> OnnxImport::read_constant(const OnnxNode& node) {
  if (node.type == "Shape") {
    TT_TRY_ASSIGN(const auto shape, shape_of(node.inputs[0]));
    if (!shape) return OnnxValues::unsupported(node, "a shape that is not known before it runs");
    model_.initializers[node.outputs[0]] = shape_tensor(node, *shape);
    return true;
  }
  const auto inputs = values_.constants(node);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] == nullptr && node.has_input(i)) return false;
  TT_TRY_ASSIGN(auto folded, fold_constant(node, inputs));
  if (!folded) return false;
  model_.initializers[node.outputs[0]] = std::move(*folded);
  return true;
}

Status OnnxImport::read_quantize(const OnnxNode& node) {
  const int64_t code = node.get("output_dtype", int64_t{0});
  if (code == kUint16Code || code == kInt16Code)
    return OnnxValues::unsupported(
        node, fmt::format("its result is {}int16{}", code == kUint16Code ? "u" : "",
                          OnnxValues::instead_of("int16")));
  if (code != 0 && code != kUint8Code && code != kInt8Code && code != kUint4Code &&
      code != kInt4Code)
    return OnnxValues::unsupported(node, fmt::format("a result of element type {}", code));
  const bool is_signed = code == kInt8Code || code == kInt4Code;
  const ElementType type = is_signed ? ElementType::kInt8 : ElementType::kUint8;
  TT_TRY_ASSIGN(OnnxScale any, values_.scale(node, 1, type));
  any.four_bits = any.four_bits || code == kUint4Code || code == kInt4Code;
  if (const OnnxTensor* constant = values_.constant(node.inputs[0]))
    return values_.quantise_constant(node, *constant, any);
  TT_TRY_ASSIGN(const OnnxScale scale, values_.activation_scale(node, 1, type));
  if (any.four_bits) return OnnxValues::unsupported(node, "activations of 4 bits");
  TT_TRY_ASSIGN(const int id, quantised(node, node.inputs[0], scale));
  values_.set_bytes(node.outputs[0], {id, scale.type, {}});
  return ok_status();
}

Status OnnxImport::read_dequantize(const OnnxNode& node) {
  const std::string& name = node.inputs[0];
  const ElementType type = values_.type_of(name);
  OnnxReal real;
  if ((real.constant.tensor = values_.constant(name)) != nullptr) {
    TT_TRY_ASSIGN(real.constant.scale, values_.scale(node, 1, type));
    if (real.constant.scale.type != type)
      return OnnxValues::invalid(node, "its zero point is of another type than its input");
  } else {
    TT_TRY_ASSIGN(const OnnxScale scale, values_.activation_scale(node, 1, type));
    TT_TRY_ASSIGN(real.bytes, bytes(node, name, scale));
  }
  values_.set_real(node.outputs[0], real);
  return ok_status();
}

// Moves bytes whose scale is known at once, others when a reader gives the result a scale.
Status OnnxImport::read_move(const OnnxNode& node) {
  const OnnxBytes first = *values_.find_bytes(node.inputs[0]);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const OnnxPending pending{&node, static_cast<int>(i)};
    if (!node.outputs[i].empty())
      values_.set_bytes(node.outputs[i], {-1, first.type, pending, first.depth + 1});
  }
  if (first.depth >= kLongestStretch)
    return OnnxValues::unsupported(
        node, fmt::format("more than {} operators on bytes before anything says their scale",
                          kLongestStretch));
  if (first.id < 0 || graph_.tensor(first.id).quantization.scales.empty()) return ok_status();
  const Quantization& q = graph_.tensor(first.id).quantization;
  const OnnxScale scale{q.scales, q.zero_points, first.type, 0};
  for (const std::string& name : node.outputs)
    if (!name.empty()) TT_TRY(bytes(node, name, scale));
  return ok_status();
}

}  // namespace tinytune
