#include "codegen/networks/layer_names.h"

#include "codegen/networks/layout.h"
#include "codegen/operators/c_writer.h"
#include "models/operator_kind.h"

namespace tinytune {
namespace {

std::string word_of(LayerPart part) {
  switch (part) {
    case LayerPart::kRows:
      return "rows";
    case LayerPart::kChannels:
      return "channels";
    case LayerPart::kMatrices:
      return "matrices";
  }
  return "";
}

}  // namespace

std::string symbol_of_layer(const std::string& network, const Operator& op) {
  if (op.index == kTransformIndex)
    return network + "_transform_" + std::to_string(op.inputs[0]) + "_" +
           std::to_string(op.outputs[0]);
  return network + "_layer_" + std::to_string(op.index);
}

std::string symbol_of_half(const std::string& network, const Operator& op, const HalfLayer& half) {
  return network + "_" + word_of(half.part) + "_" + std::to_string(op.index) + "_" +
         std::to_string(half.out.begin) + "_" + std::to_string(half.out.end);
}

std::string symbol_of_weights(const std::string& network, const Operator& op) {
  return network + "_weights_" + std::to_string(op.index);
}

std::string comment_of_layer(const Graph& graph, const Operator& op,
                             const std::optional<KernelCall>& call) {
  std::string text = op.kind == OperatorKind::kStridedSlice && op.index == kTransformIndex
                         ? "copy of the pixels that a shortcut reads "
                     : op.index == kTransformIndex
                         ? "layout transform "
                         : std::to_string(op.index) + ": " + std::string(name_of(op.kind)) + " ";
  text += shape_text(graph.tensor(op.inputs[0]).shape) + " -> " +
          shape_text(graph.tensor(op.outputs[0]).shape);
  if (call) text += (call->tuned ? ", tuned" : ", default schedule");
  return text;
}

std::string comment_of_half(const HalfLayer& half) {
  return ", " + word_of(half.part) + " " + std::to_string(half.out.begin) + " to " +
         std::to_string(half.out.end - 1);
}

}  // namespace tinytune
