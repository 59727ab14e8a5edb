#include "codegen/networks/layer_names.h"

#include "codegen/networks/layout.h"
#include "codegen/operators/c_writer.h"
#include "models/operator_kind.h"

namespace tinytune {

std::string symbol_of_layer(const std::string& network, const Operator& op) {
  if (op.index == kTransformIndex)
    return network + "_transform_" + std::to_string(op.inputs[0]) + "_" +
           std::to_string(op.outputs[0]);
  return network + "_layer_" + std::to_string(op.index);
}

std::string symbol_of_rows(const std::string& network, const Operator& op, const RowRange& rows) {
  return network + "_rows_" + std::to_string(op.index) + "_" + std::to_string(rows.begin) + "_" +
         std::to_string(rows.end);
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

std::string comment_of_rows(const std::string& comment, const RowRange& rows) {
  return comment + ", rows " + std::to_string(rows.begin) + " to " + std::to_string(rows.end - 1);
}

}  // namespace tinytune
