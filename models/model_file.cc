#include "models/model_file.h"

#include <filesystem>

#include "models/external_operator.h"
#include "models/integer_op.h"
#include "models/onnx/onnx.h"
#include "models/operator_kind.h"
#include "models/tflite.h"
#include "models/tflite_model.h"

namespace tinytune {
namespace {

bool is_onnx(const std::string& path) { return std::filesystem::path(path).extension() == ".onnx"; }

Status check_types(const std::string& path, std::span<const std::string> types) {
  if (types.empty()) return ok_status();
  return Error(ErrorCode::kUnsupported, path + ": --input-type is for .onnx networks");
}

}  // namespace

Result<Graph> import_model(std::span<const uint8_t> bytes, const std::string& path,
                           std::span<const ExternalDeclaration> externals,
                           std::span<const std::string> types) {
  const std::string name = std::filesystem::path(path).stem();
  if (!is_onnx(path)) {
    TT_TRY(check_types(path, types));
    return import_tflite(bytes, name, path, externals);
  }
  if (!externals.empty())
    return Error(ErrorCode::kUnsupported, path + ": --external is for .tflite networks");
  return import_onnx(bytes, name, path, types);
}

Result<ModelSummary> summarise_model(const std::string& path,
                                     std::span<const ExternalDeclaration> externals,
                                     std::span<const std::string> types) {
  if (!is_onnx(path)) {
    TT_TRY(check_types(path, types));
    return summarise_tflite(path, externals);
  }
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_model_file(path));
  TT_TRY_ASSIGN(const Graph graph, import_model(bytes, path, externals, types));
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
