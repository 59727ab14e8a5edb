// Softmax along one axis, or, before opset 13, over all axes from one on.
#include <cmath>

#include "models/onnx/onnx_families.h"

namespace tinytune {
namespace {

Result<int> softmax(OnnxImport& import, const OnnxNode& node, int input, const OnnxScale& scale,
                    int64_t opset) {
  OnnxGraph& graph = import.graph();
  const int from = graph.to_onnx_order(input);
  const std::vector<int> shape = graph.tensor(from).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t axis = node.get("axis", int64_t{opset < 13 ? 1 : -1});
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return OnnxValues::invalid(node, "an axis out of range");
  if (axis == rank - 1) return import.mapped(node, OperatorKind::kSoftmax, from, scale);
  if (opset < 13) {
    int outer = 1, inner = 1;
    for (int64_t i = 0; i < rank; ++i) (i < axis ? outer : inner) *= shape[static_cast<size_t>(i)];
    const int rows = graph.reshaped(from, {outer, inner}, false);
    return graph.reshaped(import.mapped(node, OperatorKind::kSoftmax, rows, scale), shape, false);
  }
  std::vector<int32_t> axes;
  for (int32_t i = 0; i < static_cast<int32_t>(rank); ++i) axes.push_back(i);
  std::swap(axes[static_cast<size_t>(axis)], axes.back());  // its own inverse
  const int turned = graph.transposed(from, axes, false);
  return graph.transposed(import.mapped(node, OperatorKind::kSoftmax, turned, scale), axes, false);
}

}  // namespace

Result<int> import_softmax(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                           Activation) {
  TT_TRY_ASSIGN(const int input, import.operand(node, 0));
  return softmax(import, node, input, scale, import.model().opset);
}

// onnxruntime's kernel rounds the inverse of the result's scale down to an integer.
Result<OnnxResult> import_qlinear_softmax(OnnxImport& import, const OnnxNode& node) {
  TT_TRY_ASSIGN(const OnnxOperand x, import.operand_at(node, 0));
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 3, x));
  OnnxScale whole = scale;
  whole.scales[0] = 1 / std::floor(1 / scale.scales[0]);
  if (!std::isfinite(whole.scales[0])) return OnnxValues::unsupported(node, "a scale above 1");
  TT_TRY_ASSIGN(const int id, softmax(import, node, x.id, whole, node.get("opset", int64_t{13})));
  return OnnxResult{whole.scales == scale.scales ? id : import.reread(id, scale), scale.type};
}

}  // namespace tinytune
