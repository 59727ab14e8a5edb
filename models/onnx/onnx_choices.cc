// Where and QLinearWhere. Selection commutes with quantisation, so both operands are first
// converted to bytes of the result's scale.
#include <algorithm>

#include "models/onnx/onnx_families.h"

namespace tinytune {
namespace {

// Returns the bool tensor at input 0: an input of the network, or a constant.
Result<int> condition_of(OnnxImport& import, const OnnxNode& node) {
  if (!node.has_input(0)) return OnnxValues::invalid(node, "too few inputs");
  const std::string& name = node.inputs[0];
  if (const OnnxTensor* constant = import.values().constant(name)) {
    if (constant->type != ElementType::kBool)
      return OnnxValues::invalid(node, "a condition that is not bool");
    return import.graph().add_constant("condition", ElementType::kBool, constant->shape,
                                       constant->data);
  }
  const OnnxBytes* found = import.values().find_bytes(name);
  if (found == nullptr || found->type != ElementType::kBool)
    return OnnxValues::unsupported(
        node, "a condition that is neither an input of the network nor a constant");
  return found->id;
}

int chosen(OnnxImport& import, const OnnxNode& node, int condition, int x, int y,
           const OnnxScale& scale) {
  OnnxGraph& graph = import.graph();
  const std::vector<int> operands = {condition, graph.to_onnx_order(x), graph.to_onnx_order(y)};
  std::vector<int> shape;
  for (const int id : operands) {
    const std::vector<int>& other = graph.tensor(id).shape;
    if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (size_t i = 0; i < other.size(); ++i) {
      int& extent = shape[shape.size() - other.size() + i];
      extent = std::max(extent, other[i]);
    }
  }
  const int to = graph.add(node.outputs[0], ElementType::kInt8, shape, scale.quantization(), false);
  graph.add_operator(OperatorKind::kSelectV2, operands, to);
  return to;
}

}  // namespace

Result<int> import_where(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                         Activation) {
  if (!node.has_input(1) || !node.has_input(2)) return OnnxValues::invalid(node, "too few inputs");
  TT_TRY_ASSIGN(const int condition, condition_of(import, node));
  TT_TRY_ASSIGN(const int x, import.quantised(node, node.inputs[1], scale));
  TT_TRY_ASSIGN(const int y, import.quantised(node, node.inputs[2], scale));
  return chosen(import, node, condition, x, y, scale);
}

// Inputs: condition, both operands with scale and zero point, the result's scale and zero point.
Result<OnnxResult> import_qlinear_where(OnnxImport& import, const OnnxNode& node) {
  TT_TRY_ASSIGN(const int condition, condition_of(import, node));
  TT_TRY_ASSIGN(const OnnxOperand x, import.operand_at(node, 1));
  TT_TRY_ASSIGN(const OnnxOperand y, import.operand_at(node, 4));
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 7, x));
  const auto of_result = [&](const OnnxOperand& operand) {
    return scale.equals(import.graph().tensor(operand.id).quantization)
               ? operand.id
               : import.mapped(node, OperatorKind::kQuantize, operand.id, scale);
  };
  const int first = of_result(x), second = of_result(y);
  return OnnxResult{chosen(import, node, condition, first, second, scale), scale.type};
}

}  // namespace tinytune
