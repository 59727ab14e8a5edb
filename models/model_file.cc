#include "models/model_file.h"

#include <filesystem>

#include "models/external_operator.h"
#include "models/integer_op.h"
#include "models/onnx/onnx.h"
#include "models/operator_kind.h"
#include "models/tflite/model.h"
#include "models/tflite/tflite.h"

namespace tinytune {
namespace {

bool is_onnx(const std::string& path) { return std::filesystem::path(path).extension() == ".onnx"; }

// Refuses options of ONNX networks for a .tflite file.
Status check_choices(const std::string& path, const ImportChoices& choices) {
  if (choices.types.empty() && choices.states.empty()) return ok_status();
  const std::string option = choices.types.empty() ? "--state" : "--input-type";
  return Error(ErrorCode::kUnsupported, path + ": " + option + " is for .onnx networks");
}

}  // namespace

Result<Graph> import_model(std::span<const uint8_t> bytes, const std::string& path,
                           const ImportChoices& choices) {
  const std::string name = std::filesystem::path(path).stem();
  if (!is_onnx(path)) {
    TT_TRY(check_choices(path, choices));
    return import_tflite(bytes, name, path, choices.externals);
  }
  if (!choices.externals.empty())
    return Error(ErrorCode::kUnsupported, path + ": --external is for .tflite networks");
  return import_onnx(bytes, name, path, choices.types, choices.states);
}

Result<ModelSummary> summarise_model(const std::string& path, const ImportChoices& choices) {
  if (!is_onnx(path)) {
    TT_TRY(check_choices(path, choices));
    return summarise_tflite(path, choices.externals);
  }
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_model_file(path));
  TT_TRY_ASSIGN(const Graph graph, import_model(bytes, path, choices));
  ModelSummary summary{graph.name, {}, {}, graph.inputs, graph.outputs, 0, {}};
  for (const Tensor& t : graph.tensors)
    summary.tensors.push_back({t.id, t.name, std::string(name_of(t.type)), t.shape, t.bytes(),
                               t.is_constant, t.quantization});
  for (const Operator& op : graph.operators) {
    TT_TRY_ASSIGN(const IntegerOp form, prepare(graph, op));
    summary.operators.push_back(
        {op.index, std::string(name_of(op.kind)), op.inputs, op.outputs, macs_of(form)});
    summary.macs += macs_of(form);
  }
  return summary;
}

}  // namespace tinytune
