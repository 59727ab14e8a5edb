// Add, Sub and Mul of two tensors, aligned at their last axes.
#include <algorithm>

#include "models/onnx/onnx_families.h"

namespace tinytune {
namespace {

// Gives a tensor `rank` axes, by leading axes of extent 1.
int of_rank(OnnxGraph& graph, int id, size_t rank) {
  std::vector<int> shape = graph.onnx_shape(id);
  if (shape.size() >= rank) return id;
  shape.insert(shape.begin(), rank - shape.size(), 1);
  return graph.reshaped(id, shape, false);
}

// Returns which operand is one number for each run of the other's innermost elements.
std::array<bool, 2> repeated(const std::vector<int>& a, const std::vector<int>& b) {
  for (size_t i = 1; i <= std::max(a.size(), b.size()); ++i) {
    const int in_a = i <= a.size() ? a[a.size() - i] : 1,
              in_b = i <= b.size() ? b[b.size() - i] : 1;
    if (in_a != in_b) return {in_a == 1, in_b == 1};
    if (in_a != 1) return {false, false};
  }
  return {true, false};
}

int add_pair(OnnxGraph& graph, const OnnxNode& node, OperatorKind kind, std::array<int, 2> operands,
             const OnnxScale& scale, Attributes attributes) {
  const size_t rank =
      std::max(graph.tensor(operands[0]).shape.size(), graph.tensor(operands[1]).shape.size());
  const bool last =
      rank == 4 && (graph.channels_last(operands[0]) || graph.channels_last(operands[1]));
  for (int& id : operands) {
    id = last ? graph.to_channels_last(of_rank(graph, id, rank)) : graph.to_onnx_order(id);
  }
  const std::vector<int>&a = graph.tensor(operands[0]).shape, &b = graph.tensor(operands[1]).shape;
  std::vector<int> shape(rank, 1);
  for (const std::vector<int>* operand : {&a, &b})
    for (size_t i = 0; i < operand->size(); ++i) {
      int& extent = shape[rank - operand->size() + i];
      extent = std::max(extent, (*operand)[i]);
    }
  const int to = graph.add(node.outputs[0], ElementType::kInt8, shape, scale.quantization(), last);
  graph.add_operator(kind, {operands[0], operands[1]}, to, std::move(attributes));
  return to;
}

Result<int> standard(OnnxImport& import, const OnnxNode& node, OperatorKind kind,
                     const OnnxScale& scale, Attributes attributes) {
  TT_TRY_ASSIGN(const int first, import.operand(node, 0));
  TT_TRY_ASSIGN(const int second, import.operand(node, 1));
  return add_pair(import.graph(), node, kind, {first, second}, scale, std::move(attributes));
}

// Inputs: both operands with scale and zero point each, then the result's scale and zero point.
Result<OnnxResult> qlinear(OnnxImport& import, const OnnxNode& node, OperatorKind kind) {
  TT_TRY_ASSIGN(const OnnxOperand a, import.operand_at(node, 0));
  TT_TRY_ASSIGN(const OnnxOperand b, import.operand_at(node, 3));
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 6, a));
  OnnxGraph& graph = import.graph();
  const QLinearAttributes how{Activation::kNone, scale.offset(),
                              repeated(graph.onnx_shape(a.id), graph.onnx_shape(b.id))};
  return OnnxResult{add_pair(graph, node, kind, {a.id, b.id}, scale, how), scale.type};
}

}  // namespace

Result<int> import_add(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                       Activation activation) {
  TT_TRY_ASSIGN(const auto product, import_biased_product(import, node, scale, activation));
  if (product) return *product;
  return standard(import, node, OperatorKind::kAdd, scale, ActivationAttributes{activation});
}

// Imports Sum of two operands as Add; Sum may have any number of operands.
Result<int> import_add_all(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                           Activation activation) {
  if (node.inputs.size() != 2)
    return OnnxValues::unsupported(
        node, "other than two operands without QuantizeLinear and DequantizeLinear between");
  return import_add(import, node, scale, activation);
}

Result<int> import_sub(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                       Activation activation) {
  return standard(import, node, OperatorKind::kSub, scale, ActivationAttributes{activation});
}

Result<int> import_mul(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                       Activation activation) {
  return standard(import, node, OperatorKind::kMul, scale,
                  QLinearAttributes{activation, scale.offset(), {}});
}

Result<OnnxResult> import_qlinear_add(OnnxImport& import, const OnnxNode& node) {
  return qlinear(import, node, OperatorKind::kAdd);
}

Result<OnnxResult> import_qlinear_mul(OnnxImport& import, const OnnxNode& node) {
  return qlinear(import, node, OperatorKind::kMul);
}

}  // namespace tinytune
