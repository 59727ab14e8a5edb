#include "models/onnx/onnx_model.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <cstring>

#include "models/limits.h"
#include "models/tflite_model.h"

namespace tinytune {
namespace {

constexpr int kOldestOpset = 13;  // per-axis scales, and QuantizeLinear as it is meant here

Error invalid(std::string why) { return Error(ErrorCode::kInvalidInput, std::move(why)); }
Error unsupported(std::string why) { return Error(ErrorCode::kUnsupported, std::move(why)); }
std::string shown(const std::string& name) { return "'" + printable_ascii(name, 80) + "'"; }

std::optional<ElementType> type_of(int code) {
  switch (code) {
    case onnx::TensorProto::FLOAT:
      return ElementType::kFloat32;
    case onnx::TensorProto::INT8:
      return ElementType::kInt8;
    case onnx::TensorProto::UINT8:
      return ElementType::kUint8;
    case onnx::TensorProto::INT32:
      return ElementType::kInt32;
    case onnx::TensorProto::INT64:
      return ElementType::kInt64;
    case onnx::TensorProto::BOOL:
      return ElementType::kBool;
    default:
      return std::nullopt;
  }
}

template <typename T, typename Field>
void append(const Field& field, std::vector<uint8_t>& bytes) {
  for (const auto value : field) {
    const T element = static_cast<T>(value);
    const auto* from = reinterpret_cast<const uint8_t*>(&element);
    bytes.insert(bytes.end(), from, from + sizeof element);
  }
}

Result<OnnxTensor> read_tensor(const onnx::TensorProto& from, const std::string& name) {
  OnnxTensor tensor;
  const auto type = type_of(from.data_type());
  if (!type)
    return unsupported(fmt::format("tensor {} has element type {}", shown(name), from.data_type()));
  if (from.data_location() == onnx::TensorProto::EXTERNAL)
    return unsupported(fmt::format("tensor {} lies outside the file", shown(name)));
  tensor.type = *type;
  int64_t elements = 1;
  for (const int64_t extent : from.dims()) {
    if (extent < 0 || extent > kMostTensorBytes || elements * extent > kMostTensorBytes)
      return invalid(fmt::format("tensor {} has an extent of {}", shown(name), extent));
    elements *= extent;
    tensor.shape.push_back(static_cast<int>(extent));
  }
  if (from.has_raw_data()) {
    tensor.data.assign(from.raw_data().begin(), from.raw_data().end());
  } else if (*type == ElementType::kFloat32) {
    append<float>(from.float_data(), tensor.data);
  } else if (*type == ElementType::kInt64) {
    append<int64_t>(from.int64_data(), tensor.data);
  } else if (*type == ElementType::kInt32) {
    append<int32_t>(from.int32_data(), tensor.data);
  } else {
    append<uint8_t>(from.int32_data(), tensor.data);
  }
  if (static_cast<int64_t>(tensor.data.size()) !=
      elements * static_cast<int64_t>(size_of(tensor.type)))
    return invalid(fmt::format("tensor {} holds {} bytes for {} elements", shown(name),
                               tensor.data.size(), elements));
  return tensor;
}

Result<OnnxValue> read_value(const onnx::ValueInfoProto& from) {
  OnnxValue value;
  value.name = from.name();
  const auto& tensor = from.type().tensor_type();
  const auto type = type_of(tensor.elem_type());
  if (!from.type().has_tensor_type() || !type)
    return unsupported(fmt::format("{} is no tensor of a type known here", shown(value.name)));
  value.type = *type;
  int64_t bytes = 8;
  for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
    const auto& dim = tensor.shape().dim(axis);
    if (!dim.has_dim_value() && axis > 0)
      return unsupported(fmt::format("{} has a dynamic shape (axis {})", shown(value.name), axis));
    const int64_t extent = dim.has_dim_value() ? dim.dim_value() : 1;
    if (extent < 1 || extent > kMostTensorBytes || (bytes *= extent) > kMostTensorBytes)
      return invalid(fmt::format("{} has an extent of {}", shown(value.name), extent));
    value.shape.push_back(static_cast<int>(extent));
  }
  return value;
}

OnnxNode read_node(const onnx::NodeProto& from, int index) {
  OnnxNode node{index, from.name(), from.op_type(), from.domain(), {}, {}, {}, {}, {}};
  if (node.domain == "ai.onnx") node.domain.clear();
  node.inputs.assign(from.input().begin(), from.input().end());
  node.outputs.assign(from.output().begin(), from.output().end());
  for (const onnx::AttributeProto& a : from.attribute()) {
    if (a.type() == onnx::AttributeProto::INT) node.ints[a.name()] = {a.i()};
    if (a.type() == onnx::AttributeProto::INTS)
      node.ints[a.name()].assign(a.ints().begin(), a.ints().end());
    if (a.type() == onnx::AttributeProto::FLOAT) node.floats[a.name()] = a.f();
    if (a.type() == onnx::AttributeProto::STRING) node.strings[a.name()] = a.s();
  }
  return node;
}

Status read_graph(const onnx::GraphProto& graph, OnnxModel& model) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    TT_TRY_ASSIGN(model.initializers[tensor.name()], read_tensor(tensor, tensor.name()));
  }
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.op_type() == "Constant" && node.output_size() == 1) {
      for (const onnx::AttributeProto& a : node.attribute())
        if (a.name() == "value") {
          TT_TRY_ASSIGN(model.initializers[node.output(0)], read_tensor(a.t(), node.output(0)));
        }
      continue;
    }
    model.nodes.push_back(read_node(node, static_cast<int>(model.nodes.size())));
    if (model.nodes.size() > kMostOperators)
      return invalid(fmt::format("it has more than {} operators", kMostOperators));
  }
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (model.initializers.count(input.name()) != 0) continue;  // its default value
    TT_TRY_ASSIGN(OnnxValue value, read_value(input));
    model.inputs.push_back(std::move(value));
  }
  for (const onnx::ValueInfoProto& output : graph.output()) {
    OnnxValue value;
    value.name = output.name();
    model.outputs.push_back(std::move(value));
  }
  return ok_status();
}

}  // namespace

int64_t OnnxTensor::elements() const {
  int64_t product = 1;
  for (const int extent : shape) product *= extent;
  return product;
}

double OnnxTensor::at(size_t i) const {
  const auto as = [&](auto element) {
    std::memcpy(&element, data.data() + i * sizeof element, sizeof element);
    return static_cast<double>(element);
  };
  switch (type) {
    case ElementType::kFloat32:
      return as(float{});
    case ElementType::kInt64:
      return as(int64_t{});
    case ElementType::kInt32:
      return as(int32_t{});
    case ElementType::kInt16:
      return as(int16_t{});
    case ElementType::kInt8:
    case ElementType::kInt4:
      return as(int8_t{});
    case ElementType::kUint8:
    case ElementType::kBool:
      return as(uint8_t{});
  }
  return 0;
}

int64_t OnnxNode::get(const std::string& attribute, int64_t otherwise) const {
  const auto found = ints.find(attribute);
  return found == ints.end() || found->second.empty() ? otherwise : found->second[0];
}

std::vector<int64_t> OnnxNode::get(const std::string& attribute,
                                   std::vector<int64_t> otherwise) const {
  const auto found = ints.find(attribute);
  return found == ints.end() ? otherwise : found->second;
}

Result<OnnxModel> read_onnx(std::span<const uint8_t> bytes) {
  onnx::ModelProto proto;
  if (bytes.size() > INT32_MAX ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !proto.has_graph())
    return invalid("not an ONNX model, or damaged");
  for (const onnx::OperatorSetIdProto& opset : proto.opset_import())
    if ((opset.domain().empty() || opset.domain() == "ai.onnx") && opset.version() < kOldestOpset)
      return unsupported(
          fmt::format("opset {}; export with opset {} or later", opset.version(), kOldestOpset));
  OnnxModel model;
  TT_TRY(read_graph(proto.graph(), model));
  if (model.nodes.empty()) return invalid("it has no operators");
  if (model.inputs.empty()) return invalid("it has no inputs");
  if (model.outputs.empty()) return invalid("it has no outputs");
  return model;
}

}  // namespace tinytune
