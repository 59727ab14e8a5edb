// Conv, ConvTranspose, Gemm, MatMul and their QLinear forms: reads each one's operands and scales.
#include "models/onnx/onnx_families.h"
#include "models/onnx/onnx_layers.h"
#include "models/onnx/onnx_products.h"

namespace tinytune {
namespace {

OnnxProduct result_of(const OnnxScale& scale) { return {ElementType::kInt8, scale.quantization()}; }

float input_scale(OnnxImport& import, int id) {
  return import.graph().tensor(id).quantization.scales[0];
}

// Reads the real bias at input `at` into `layer`.
Status read_bias(OnnxImport& import, const OnnxNode& node, size_t at, OnnxLayer& layer) {
  if (!node.has_input(at)) return ok_status();
  TT_TRY_ASSIGN(const auto bias, import.constant_real(node, node.inputs[at]));
  if (!bias) return OnnxValues::unsupported(node, "a bias that is no constant");
  TT_TRY_ASSIGN(layer.bias,
                bias_of(node, *bias, input_scale(import, layer.input), layer.weights.scale.scales));
  return ok_status();
}

// Returns the weights at input `at`; an error says what is missing.
Result<OnnxConstant> weights_of(OnnxImport& import, const OnnxNode& node, size_t at) {
  if (!node.has_input(at)) return OnnxValues::invalid(node, "too few inputs");
  TT_TRY_ASSIGN(const auto weights, import.constant_real(node, node.inputs[at]));
  if (!weights) return OnnxValues::unsupported(node, "weights that are no constant");
  if (weights->scale.scales.empty())
    return OnnxValues::unsupported(
        node, "weights in float32; DequantizeLinear is missing behind quantised ones");
  return *weights;
}

// Returns a bias of one number a column; repeats a single number.
std::vector<int32_t> of_columns(std::vector<int32_t> bias, const OnnxTensor& weights,
                                bool transposed) {
  const auto columns = static_cast<size_t>(weights.shape[transposed ? 0 : 1]);
  if (bias.size() == 1) bias.resize(columns, bias[0]);
  return bias;
}

using AddLayer = Result<int> (*)(OnnxGraph& graph, const OnnxLayer& layer);

Result<int> convolution(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                        Activation activation, AddLayer add, const OnnxNode& bias_node,
                        size_t bias_at) {
  TT_TRY_ASSIGN(const int input, import.operand(node, 0));
  TT_TRY_ASSIGN(const OnnxConstant weights, weights_of(import, node, 1));
  OnnxLayer layer{node, input, weights, {}, scale, activation};
  TT_TRY(read_bias(import, bias_node, bias_at, layer));
  return add(import.graph(), layer);
}

Result<int> product(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                    Activation activation, const OnnxNode& bias_node, size_t bias_at) {
  TT_TRY_ASSIGN(const int input, import.operand(node, 0));
  TT_TRY_ASSIGN(OnnxConstant weights, weights_of(import, node, 1));
  const bool transposed = node.get("transB", int64_t{0}) != 0;
  if (node.get("transA", int64_t{0}) != 0) return OnnxValues::unsupported(node, "transA");
  for (float& s : weights.scale.scales) s *= node.get_float("alpha", 1);
  OnnxLayer layer{node, input, weights, {}, scale, activation};
  TT_TRY(read_bias(import, bias_node, bias_at, layer));
  if (layer.bias && node.get_float("beta", 1) != 1)
    return OnnxValues::unsupported(node, "beta is not 1");
  if (weights.tensor->shape.size() != 2)
    return OnnxValues::unsupported(node, "weights of other than two axes");
  if (layer.bias) layer.bias = of_columns(std::move(*layer.bias), *weights.tensor, transposed);
  return add_product(import.graph(), layer, transposed);
}

// x and weights with their scales and zero points, at fixed inputs of a QLinear layer.
struct QLinearLayer {
  OnnxOperand x;
  OnnxConstant weights;
};
Result<QLinearLayer> read_layer(OnnxImport& import, const OnnxNode& node) {
  QLinearLayer layer;
  TT_TRY_ASSIGN(layer.x, import.operand_at(node, 0));
  if (node.get("channels_last", int64_t{0}) != 0)
    return OnnxValues::unsupported(node, "onnxruntime's own order of channels");
  layer.weights.tensor = node.has_input(3) ? import.values().constant(node.inputs[3]) : nullptr;
  if (layer.weights.tensor == nullptr)
    return OnnxValues::unsupported(node, "weights that are no constant");
  TT_TRY_ASSIGN(layer.weights.scale, import.values().scale(node, 4, layer.weights.tensor->type));
  return layer;
}

Result<std::optional<std::vector<int32_t>>> int32_bias(OnnxImport& import, const OnnxNode& node,
                                                       size_t at) {
  std::optional<std::vector<int32_t>> result;
  if (!node.has_input(at)) return result;
  const OnnxTensor* bias = import.values().constant(node.inputs[at]);
  if (bias == nullptr || bias->type != ElementType::kInt32)
    return OnnxValues::unsupported(node, "a bias that is no int32 constant");
  result.emplace();
  for (size_t i = 0; i < static_cast<size_t>(bias->elements()); ++i)
    result->push_back(static_cast<int32_t>(bias->integer(i)));
  return result;
}

}  // namespace

Result<int> import_conv(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                        Activation activation) {
  return convolution(import, node, scale, activation, add_convolution, node, 2);
}

Result<int> import_conv_transpose(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                                  Activation activation) {
  const auto add = [](OnnxGraph& graph, const OnnxLayer& layer) {
    return add_transposed_convolution(graph, layer);
  };
  return convolution(import, node, scale, activation, add, node, 2);
}

Result<int> import_product(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                           Activation activation) {
  if (node.type == "MatMul" && node.has_input(1)) {
    TT_TRY_ASSIGN(const auto weights, import.constant_real(node, node.inputs[1]));
    if (!weights || weights->tensor->shape.size() != 2) {
      TT_TRY_ASSIGN(const int a, import.operand(node, 0));
      TT_TRY_ASSIGN(const int b, import.operand(node, 1));
      if (activation != Activation::kNone)
        return OnnxValues::unsupported(node, "an activation behind a product of computed matrices");
      return add_computed_product(import.graph(), node, a, b, result_of(scale));
    }
  }
  return product(import, node, scale, activation, node, 2);
}

namespace {

// Returns the axis of a layer's result along which a bias varies, counted from the last, which is
// 1; 0 if the layer has a bias already or is neither MatMul nor Conv.
Result<size_t> axis_of_outputs(OnnxImport& import, const OnnxNode& node) {
  if (node.type == "MatMul") return size_t{1};
  if (node.type != "Conv" || node.inputs.size() != 2) return size_t{0};
  TT_TRY_ASSIGN(const auto weights, import.constant_real(node, node.inputs[1]));
  return weights && weights->tensor->shape.size() > 2 ? weights->tensor->shape.size() - 1 : 0;
}

}  // namespace

// Imports a product as onnxruntime's QGemm without a result scale, or MatMulIntegerToFloat.
Result<int> import_product_sums(OnnxImport& import, const OnnxNode& node) {
  const auto missing = [&](const std::string& why) {
    return OnnxValues::unsupported(node, "its result is an output in float32" + why +
                                             "; QuantizeLinear and DequantizeLinear are missing "
                                             "behind it");
  };
  TT_TRY_ASSIGN(const int input, import.operand(node, 0));
  TT_TRY_ASSIGN(const OnnxConstant weights, weights_of(import, node, 1));
  if (weights.scale.scales.size() != 1) return missing(" of several weight scales");
  const OnnxTensor& matrix = *weights.tensor;
  if (matrix.shape.size() != 2 || matrix.type != weights.scale.type ||
      (matrix.type != ElementType::kInt8 && matrix.type != ElementType::kUint8) ||
      node.get("transA", int64_t{0}) != 0 || node.get_float("alpha", 1) != 1 ||
      node.get_float("beta", 1) != 1)
    return missing("");
  OnnxLayer layer{node, input, weights, {}, {}};
  if (node.has_input(2)) {
    TT_TRY_ASSIGN(const auto bias, import.constant_real(node, node.inputs[2]));
    if (!bias || bias->tensor->type != ElementType::kInt32) return missing(" with a float32 bias");
    TT_TRY(read_bias(import, node, 2, layer));
  }
  OnnxGraph& graph = import.graph();
  std::vector<uint8_t> data = matrix.data;
  if (matrix.type == ElementType::kUint8)
    for (uint8_t& byte : data) byte ^= 0x80;
  int right = graph.add_constant("weights", ElementType::kInt8, matrix.shape, std::move(data),
                                 weights.scale.quantization());
  const bool transposed = node.get("transB", int64_t{0}) != 0;
  if (transposed) right = graph.transposed(right, {1, 0}, false);
  TT_TRY_ASSIGN(int id, add_computed_product(graph, node, input, right, {ElementType::kInt32, {}}));
  if (layer.bias) {
    const std::vector<int32_t> bias = of_columns(*layer.bias, matrix, transposed);
    const int numbers = graph.add_numbers("bias", bias, {static_cast<int>(bias.size())});
    const int sums =
        graph.add(node.outputs[0], ElementType::kInt32, graph.tensor(id).shape, {}, false);
    graph.add_operator(OperatorKind::kAdd, {id, numbers}, sums, ActivationAttributes{});
    id = sums;
  }
  graph.give_quantization(id, {{input_scale(import, input) * weights.scale.scales[0]}, {0}, 0});
  return id;
}

Result<std::optional<int>> import_biased_product(OnnxImport& import, const OnnxNode& node,
                                                 const OnnxScale& scale, Activation activation) {
  for (size_t i = 0; i < 2 && node.inputs.size() == 2; ++i) {
    const auto real = import.values().real(node, node.inputs[i]);
    if (!real || real->pending.node == nullptr) continue;
    const OnnxNode& layer = *real->pending.node;
    TT_TRY_ASSIGN(const size_t axis, axis_of_outputs(import, layer));
    if (axis == 0) continue;
    TT_TRY_ASSIGN(const auto bias, import.constant_real(node, node.inputs[1 - i]));
    if (!bias || bias->tensor->shape.size() < axis ||
        bias->tensor->shape[bias->tensor->shape.size() - axis] != bias->tensor->elements())
      continue;
    // onnxruntime rounds a bias that it can fuse into the layer; it fuses into MatMul alone.
    if (layer.type == "Conv" && bias->tensor->type != ElementType::kInt32)
      return OnnxValues::unsupported(
          node, "a bias in float32 behind Conv; make it Conv's own before quantising");
    TT_TRY_ASSIGN(const int id, layer.type == "MatMul"
                                    ? product(import, layer, scale, activation, node, 1 - i)
                                    : convolution(import, layer, scale, activation, add_convolution,
                                                  node, 1 - i));
    return std::optional(id);
  }
  return std::optional<int>();
}

namespace {

// Imports QLinearConv with weights that are computed or an input of the network.
Result<OnnxResult> computed_convolution(OnnxImport& import, const OnnxNode& node) {
  if (node.has_input(8)) return OnnxValues::unsupported(node, "a bias beside computed weights");
  TT_TRY_ASSIGN(const OnnxOperand x, import.operand_at(node, 0));
  TT_TRY_ASSIGN(const OnnxOperand weights, import.operand_at(node, 3));
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 6, x));
  TT_TRY_ASSIGN(const int id,
                add_computed_convolution(import.graph(), node, x.id, weights.id, result_of(scale)));
  return OnnxResult{id, scale.type};
}

}  // namespace

// Inputs: x and weights with scale and zero point each, the result's scale and zero point, a bias.
Result<OnnxResult> import_qlinear_conv(OnnxImport& import, const OnnxNode& node) {
  if (node.has_input(3) && import.values().constant(node.inputs[3]) == nullptr)
    return computed_convolution(import, node);
  TT_TRY_ASSIGN(QLinearLayer layer, read_layer(import, node));
  layer.weights.scale.axis = 0;
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 6, layer.x));
  TT_TRY_ASSIGN(auto bias, int32_bias(import, node, 8));
  TT_TRY_ASSIGN(const int id, add_convolution(import.graph(), {node, layer.x.id, layer.weights,
                                                               std::move(bias), scale}));
  return OnnxResult{id, scale.type};
}

Result<OnnxResult> import_qlinear_matmul(OnnxImport& import, const OnnxNode& node) {
  const OnnxTensor* matrix = node.has_input(3) ? import.values().constant(node.inputs[3]) : nullptr;
  if (matrix == nullptr || matrix->shape.size() != 2) {
    TT_TRY_ASSIGN(const OnnxOperand a, import.operand_at(node, 0));
    TT_TRY_ASSIGN(const OnnxOperand b, import.operand_at(node, 3));
    TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 6, a));
    TT_TRY_ASSIGN(const int id,
                  add_computed_product(import.graph(), node, a.id, b.id, result_of(scale)));
    return OnnxResult{id, scale.type};
  }
  TT_TRY_ASSIGN(QLinearLayer layer, read_layer(import, node));
  layer.weights.scale.axis = 1;
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 6, layer.x));
  TT_TRY_ASSIGN(const int id,
                add_product(import.graph(), {node, layer.x.id, layer.weights, {}, scale}, false));
  return OnnxResult{id, scale.type};
}

// Inputs: a and b with scale and zero point each, int32 bias, the result's scale and zero point.
Result<OnnxResult> import_qgemm(OnnxImport& import, const OnnxNode& node) {
  TT_TRY_ASSIGN(QLinearLayer layer, read_layer(import, node));
  if (!node.has_input(7))
    return OnnxValues::unsupported(node,
                                   "a result in float32; its scale and zero point are missing");
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 7, layer.x));
  if (node.get("transA", int64_t{0}) != 0) return OnnxValues::unsupported(node, "transA");
  const bool transposed = node.get("transB", int64_t{0}) != 0;
  for (float& s : layer.weights.scale.scales) s *= node.get_float("alpha", 1);
  layer.weights.scale.axis = transposed ? 0 : 1;
  TT_TRY_ASSIGN(auto bias, int32_bias(import, node, 6));
  if (layer.weights.tensor->shape.size() != 2)
    return OnnxValues::unsupported(node, "weights of other than two axes");
  if (bias) bias = of_columns(std::move(*bias), *layer.weights.tensor, transposed);
  TT_TRY_ASSIGN(const int id,
                add_product(import.graph(),
                            {node, layer.x.id, layer.weights, std::move(bias), scale}, transposed));
  return OnnxResult{id, scale.type};
}

}  // namespace tinytune
