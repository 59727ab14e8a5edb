#include "models/onnx/onnx.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/onnx/onnx_import.h"
#include "models/onnx/onnx_operators.h"
#include "models/tflite/model.h"

namespace tinytune {
namespace {

bool quantises(const OnnxNode& node) {
  static constexpr std::string_view kSigns[] = {"Quantize", "QLinear", "QGemm", "Integer"};
  if (const OnnxOperator* op = find_onnx_operator(node); op != nullptr && op->is_of_dialect())
    return false;
  return std::any_of(std::begin(kSigns), std::end(kSigns), [&](std::string_view sign) {
    return node.type.find(sign) != std::string::npos;
  });
}

}  // namespace

Result<Graph> OnnxImport::run(std::span<const std::string> types,
                              std::span<const std::string> states) {
  const bool is_quantised = std::any_of(model_.nodes.begin(), model_.nodes.end(), quantises);
  if (!types.empty() && is_quantised)
    return Error(ErrorCode::kInvalidInput,
                 "--input-type is for networks of plain integers; this one has scales");
  if (!is_quantised && is_of_integers(model_, types)) {
    TT_TRY(read_integers(types));
    TT_TRY(add_outputs());
    TT_TRY(keep_states(states));
    return std::move(graph_).finish();
  }
  const bool is_float =
      !is_quantised && std::any_of(model_.inputs.begin(), model_.inputs.end(),
                                   [](const auto& in) { return in.type == ElementType::kFloat32; });
  if (is_float) return values_.in_float(model_.nodes[0]);
  TT_TRY(add_inputs());
  for (const OnnxNode& node : model_.nodes) TT_TRY(read(node));
  TT_TRY(add_outputs());
  TT_TRY(keep_states(states));
  return std::move(graph_).finish();
}

Status OnnxImport::read_integers(std::span<const std::string> types) {
  OnnxIntegers integers(*this, model_);
  TT_TRY(integers.add_inputs(types));
  for (const OnnxNode& node : model_.nodes) TT_TRY(integers.read(node));
  return integers.store_outputs();
}

Status OnnxImport::add_inputs() {
  for (const OnnxValue& input : model_.inputs) {
    const int id = graph_.add(input.name, input.type, input.shape, {}, false);
    graph_.add_input(id);
    if (input.type == ElementType::kFloat32) {
      OnnxReal real;
      real.stored = id;
      values_.set_real(input.name, real);
    } else if (input.type == ElementType::kInt8 || input.type == ElementType::kUint8 ||
               input.type == ElementType::kBool) {
      values_.set_bytes(input.name, {id, input.type, {}});
    } else {
      return Error(ErrorCode::kUnsupported,
                   fmt::format("input {} is {}, not float32, int8, uint8 or bool",
                               OnnxValues::shown(input.name), name_of(input.type)));
    }
  }
  return ok_status();
}

Status OnnxImport::add_outputs() {
  for (const OnnxValue& output : model_.outputs) {
    if (const OnnxBytes* bytes = values_.find_bytes(output.name))
      TT_TRY(add_byte_output(output, *bytes));
    else if (values_.constant(output.name) == nullptr && values_.knows(output.name))
      TT_TRY(add_float_output(output));
    else
      return Error(ErrorCode::kInvalidInput,
                   fmt::format("output {} is never computed", OnnxValues::shown(output.name)));
  }
  return ok_status();
}

// Adds a float32 output: the result of DequantizeLinear, or of moves behind it, or float32 sums.
Status OnnxImport::add_float_output(const OnnxValue& output) {
  OnnxNode reader;  // stands for the network's caller
  reader.index = static_cast<int>(model_.nodes.size());
  reader.type = "output";
  reader.inputs = {output.name};
  TT_TRY_ASSIGN(const OnnxReal real, values_.real(reader, output.name));
  if (real.pending.node != nullptr) {
    const OnnxNode& node = *real.pending.node;
    const OnnxOperator* op = find_onnx_operator(node);
    if (op == nullptr) return OnnxValues::unsupported(node, "not supported");
    if (node.type == "Softmax")
      return OnnxValues::unsupported(
          node,
          "its result is an output in float32; make what it reads the output "
          "(onnx.utils.extract_model) and compute it in the application, or quantise it");
    if (op->sums != nullptr) {
      TT_TRY_ASSIGN(const int sums, op->sums(*this, node));
      return add_dequantized(output, sums);
    }
    if (op->move == nullptr)
      return OnnxValues::unsupported(
          node,
          "its result is an output in float32; QuantizeLinear and DequantizeLinear are "
          "missing behind it");
  }
  TT_TRY_ASSIGN(const int bytes, operand(reader, 0));
  return add_dequantized(output, graph_.to_onnx_order(bytes));
}

Status OnnxImport::add_dequantized(const OnnxValue& output, int from) {
  const int to =
      graph_.add(output.name, ElementType::kFloat32, graph_.tensor(from).shape, {}, false);
  graph_.add_operator(OperatorKind::kDequantize, {from}, to);
  graph_.add_output(to);
  return ok_status();
}

Status OnnxImport::add_byte_output(const OnnxValue& output, const OnnxBytes& found) {
  OnnxNode reader;
  reader.type = "output";
  if (!found.is_data()) {
    int id = found.id;
    if (found.type == ElementType::kInt64) {  // int32 in the graph
      id = graph_.add(output.name, found.type, graph_.tensor(found.id).shape, {}, false);
      graph_.add_operator(OperatorKind::kCast, {found.id}, id);
    }
    graph_.add_output(id);
    return ok_status();
  }
  TT_TRY_ASSIGN(const int bytes_id, unscaled(reader, output.name));
  int id = graph_.to_onnx_order(bytes_id);
  const Tensor from = graph_.tensor(id);
  if (found.type == ElementType::kUint8) {
    Quantization q = from.quantization;
    q.zero_points.at(0) += 128;
    id = graph_.add(output.name, ElementType::kUint8, from.shape, q, false);
    graph_.add_operator(OperatorKind::kQuantize, {from.id}, id);
  }
  graph_.add_output(id);
  return ok_status();
}

Result<Graph> import_onnx(std::span<const uint8_t> bytes, const std::string& name,
                          const std::string& label, std::span<const std::string> types,
                          std::span<const std::string> states) {
  const std::string shown = printable_ascii(label, kLongestPath);
  auto model = read_onnx(bytes);
  if (!model) return model.error().within(shown);
  OnnxImport import(*model, name);
  auto graph = import.run(types, states);
  if (!graph) return graph.error().within(shown);
  return graph;
}

}  // namespace tinytune
