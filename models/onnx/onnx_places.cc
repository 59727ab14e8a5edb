// Integers: ArgMax and ArgMin, and operators that may follow them up to an output of the network.
//
// Quantisation is monotone, so the greatest byte is the greatest real number. Places are int64 in
// ONNX and int32 in the graph; only outputs become int64 again.
#include <fmt/format.h>

#include "models/onnx/onnx_families.h"
#include "models/onnx/onnx_shapes.h"

namespace tinytune {
namespace {

constexpr int64_t kInt32Code = 6, kInt64Code = 7;  // TensorProto's

// Returns the tensor to compare: bytes, or the bytes of a real operand.
Result<int> compared(OnnxImport& import, const OnnxNode& node) {
  if (import.values().find_bytes(node.inputs[0]) != nullptr)
    return import.unscaled(node, node.inputs[0]);
  return import.operand(node, 0);
}

}  // namespace

Result<OnnxResult> import_arg_extremum(OnnxImport& import, const OnnxNode& node) {
  OnnxGraph& graph = import.graph();
  if (node.get("select_last_index", int64_t{0}) != 0)
    return OnnxValues::unsupported(node, "the last of several equal elements");
  TT_TRY_ASSIGN(int id, compared(import, node));
  std::vector<int> shape = graph.onnx_shape(id);
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t axis = node.get("axis", int64_t{0});
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return OnnxValues::invalid(node, "an axis out of range");
  // Without channels, both orders of an image are the same; reducing other axes needs ONNX's order.
  if (graph.channels_last(id) && axis != 1) id = graph.to_onnx_order(id);
  const int stored = graph.stored_axis(id, axis);
  shape.erase(shape.begin() + axis);
  const int places = graph.add(node.outputs[0], ElementType::kInt32, shape, {}, false);
  graph.add_operator(node.type == "ArgMax" ? OperatorKind::kArgMax : OperatorKind::kArgMin,
                     {id, graph.add_numbers("axis", {stored}, {1})}, places);
  if (node.get("keepdims", int64_t{1}) == 0) return OnnxResult{places, ElementType::kInt64};
  shape.insert(shape.begin() + axis, 1);
  return OnnxResult{graph.reshaped(places, shape, false), ElementType::kInt64};
}

Result<OnnxResult> import_whole_cast(OnnxImport& import, const OnnxNode& node) {
  const OnnxBytes from = *import.values().find_bytes(node.inputs[0]);
  const int64_t code = node.get("to", int64_t{0});
  const ElementType type = code == kInt32Code ? ElementType::kInt32 : ElementType::kInt64;
  if (from.type == ElementType::kBool) return OnnxValues::unsupported(node, "from bool");
  if (code != kInt32Code && code != kInt64Code)
    return OnnxValues::unsupported(
        node, fmt::format("from {} to other than int32 and int64", name_of(from.type)));
  return OnnxResult{from.id, type};
}

Result<OnnxResult> import_whole_reshape(OnnxImport& import, const OnnxNode& node) {
  const OnnxBytes from = *import.values().find_bytes(node.inputs[0]);
  if (node.type == "Identity") return OnnxResult{from.id, from.type};
  const OnnxTensor* given = nullptr;
  if (node.has_input(1)) {
    given = import.values().constant(node.inputs[1]);
    if (given == nullptr) return OnnxValues::unsupported(node, "a shape that is no constant");
  }
  OnnxGraph& graph = import.graph();
  TT_TRY_ASSIGN(const std::vector<int> shape,
                reshaped_shape(node, graph.tensor(from.id).shape, given));
  return OnnxResult{graph.reshaped(from.id, shape, false), from.type};
}

}  // namespace tinytune
