#include "models/onnx/onnx_model.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/file_formats.h"
#include "models/limits.h"
#include "models/tflite/model.h"

namespace tinytune {
namespace {

constexpr int kOldestOpset = 7;         // the first that broadcasts as numpy does
constexpr int kUint4 = 21, kInt4 = 22;  // TensorProto's, which older headers lack

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

// Returns the name of an element type that is not supported: "float16".
std::string type_name(int code) {
  if (!onnx::TensorProto::DataType_IsValid(code)) return fmt::format("element type {}", code);
  std::string name =
      onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(code));
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

template <typename T, typename Field>
void append(const Field& field, std::vector<uint8_t>& bytes) {
  for (const auto value : field) {
    const T element = static_cast<T>(value);
    const auto* from = reinterpret_cast<const uint8_t*>(&element);
    bytes.insert(bytes.end(), from, from + sizeof element);
  }
}

bool has_four_bits(int code) { return code == kUint4 || code == kInt4; }

// Unpacks pairs of 4-bit elements to a byte each; the first element is the low half.
std::vector<uint8_t> unpacked(const std::vector<uint8_t>& pairs, bool is_signed) {
  std::vector<uint8_t> bytes;
  for (const uint8_t pair : pairs)
    for (const int half : {pair & 15, pair >> 4})
      bytes.push_back(static_cast<uint8_t>(is_signed ? (half ^ 8) - 8 : half));
  return bytes;
}

// Reads a tensor of a supported element type.
Result<OnnxTensor> read_tensor(const onnx::TensorProto& from, const std::string& name) {
  OnnxTensor tensor;
  tensor.four_bits = has_four_bits(from.data_type());
  const auto type = type_of(tensor.four_bits ? int{onnx::TensorProto::UINT8} : from.data_type());
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
  if (tensor.four_bits) {
    const bool is_signed = from.data_type() == kInt4;
    const bool fits = static_cast<int64_t>(tensor.data.size()) == (elements + 1) / 2;
    tensor.data = unpacked(tensor.data, is_signed);
    if (fits) tensor.data.resize(static_cast<size_t>(elements));
    if (is_signed) tensor.type = ElementType::kInt8;
  }
  if (static_cast<int64_t>(tensor.data.size()) !=
      elements * static_cast<int64_t>(size_of(tensor.type)))
    return invalid(fmt::format("tensor {} holds {} bytes for {} elements", shown(name),
                               tensor.data.size(), elements));
  return tensor;
}

Status add_constant(const onnx::TensorProto& from, const std::string& name, OnnxModel& model) {
  if (!type_of(from.data_type()) &&
      !has_four_bits(from.data_type())) {  // refused where something reads it
    model.unreadable[name] = type_name(from.data_type());
    return ok_status();
  }
  TT_TRY_ASSIGN(model.initializers[name], read_tensor(from, name));
  return ok_status();
}

template <typename T>
OnnxTensor list_of(ElementType type, std::vector<int> shape, const std::vector<T>& values) {
  OnnxTensor tensor{type, std::move(shape), {}};
  append<T>(values, tensor.data);
  return tensor;
}

// Reads a Constant node, with any attribute that may give its value.
Status read_constant(const onnx::NodeProto& node, OnnxModel& model) {
  const std::string& name = node.output(0);
  for (const onnx::AttributeProto& a : node.attribute()) {
    OnnxTensor& tensor = model.initializers[name];
    const std::vector<int64_t> ints(a.ints().begin(), a.ints().end());
    const std::vector<float> floats(a.floats().begin(), a.floats().end());
    if (a.name() == "value_int") {
      tensor = list_of<int64_t>(ElementType::kInt64, {}, {a.i()});
    } else if (a.name() == "value_float") {
      tensor = list_of<float>(ElementType::kFloat32, {}, {a.f()});
    } else if (a.name() == "value_ints") {
      tensor = list_of(ElementType::kInt64, {a.ints_size()}, ints);
    } else if (a.name() == "value_floats") {
      tensor = list_of(ElementType::kFloat32, {a.floats_size()}, floats);
    } else {
      model.initializers.erase(name);
      if (a.name() != "value" || !a.has_t()) {
        model.unreadable[name] = a.name();
        continue;
      }
      TT_TRY(add_constant(a.t(), name, model));
    }
  }
  return ok_status();
}

Result<OnnxValue> read_value(const onnx::ValueInfoProto& from) {
  OnnxValue value;
  value.name = from.name();
  const auto& tensor = from.type().tensor_type();
  const auto type = type_of(tensor.elem_type());
  if (!from.type().has_tensor_type())
    return unsupported(fmt::format("{} is no tensor", shown(value.name)));
  if (!type)
    return unsupported(fmt::format("{} is {}, not float32, int8 or uint8{}", shown(value.name),
                                   type_name(tensor.elem_type()),
                                   tensor.elem_type() == onnx::TensorProto::FLOAT16
                                       ? "; export the network in float32 and quantise that"
                                       : ""));
  value.type = *type;
  int64_t bytes = 8;
  for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
    const auto& dim = tensor.shape().dim(axis);
    const bool known = dim.has_dim_value() && dim.dim_value() != -1;
    if (!known && axis > 0)
      return unsupported(fmt::format("{} has a dynamic shape (axis {})", shown(value.name), axis));
    const int64_t extent = known ? dim.dim_value() : 1;
    if (extent < 0 || extent > kMostTensorBytes || (bytes *= extent) > kMostTensorBytes)
      return invalid(fmt::format("{} has an extent of {}", shown(value.name), extent));
    value.shape.push_back(static_cast<int>(extent));
  }
  return value;
}

Result<OnnxNode> read_node(const onnx::NodeProto& from, int index) {
  OnnxNode node{index, from.name(), from.op_type(), from.domain(), {}, {}, {}, {}, {}, {}, {}};
  if (node.domain == "ai.onnx") node.domain.clear();
  node.inputs.assign(from.input().begin(), from.input().end());
  node.outputs.assign(from.output().begin(), from.output().end());
  for (const onnx::AttributeProto& a : from.attribute()) {
    if (a.type() == onnx::AttributeProto::INT) node.ints[a.name()] = {a.i()};
    if (a.type() == onnx::AttributeProto::INTS)
      node.ints[a.name()].assign(a.ints().begin(), a.ints().end());
    if (a.type() == onnx::AttributeProto::FLOAT) node.floats[a.name()] = a.f();
    if (a.type() == onnx::AttributeProto::FLOATS)
      node.float_lists[a.name()].assign(a.floats().begin(), a.floats().end());
    if (a.type() == onnx::AttributeProto::STRING) node.strings[a.name()] = a.s();
    if (a.type() != onnx::AttributeProto::TENSOR) continue;
    OnnxTensor& tensor = node.tensors[a.name()];
    tensor.shape = {0};  // no elements if its type is not supported
    if (type_of(a.t().data_type())) {
      TT_TRY_ASSIGN(tensor, read_tensor(a.t(), a.name()));
    }
  }
  return node;
}

Status read_graph(const onnx::GraphProto& graph, OnnxModel& model) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    TT_TRY(add_constant(tensor, tensor.name(), model));
  }
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.op_type() == "Constant" && node.output_size() == 1) {
      TT_TRY(read_constant(node, model));
      continue;
    }
    TT_TRY_ASSIGN(OnnxNode read, read_node(node, static_cast<int>(model.nodes.size())));
    model.nodes.push_back(std::move(read));
    if (model.nodes.size() > kMostOperators)
      return invalid(fmt::format("it has more than {} operators", kMostOperators));
  }
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (model.initializers.count(input.name()) != 0 || model.unreadable.count(input.name()) != 0)
      continue;  // an initializer is the input's default value
    TT_TRY_ASSIGN(OnnxValue value, read_value(input));
    if (std::count(value.shape.begin(), value.shape.end(), 0) != 0)  // no elements to pass
      model.initializers[value.name] = OnnxTensor{value.type, value.shape, {}};
    else
      model.inputs.push_back(std::move(value));
  }
  for (const onnx::ValueInfoProto& output : graph.output()) {
    OnnxValue value;
    value.name = output.name();
    model.outputs.push_back(std::move(value));
  }
  for (const onnx::ValueInfoProto& info : graph.value_info())
    if (auto value = read_value(info); value) model.shapes[info.name()] = value->shape;
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

int64_t OnnxTensor::integer(size_t i) const {
  const double value = at(i);
  return std::isnan(value) ? 0
                           : static_cast<int64_t>(std::clamp<double>(value, INT32_MIN, INT32_MAX));
}

float OnnxNode::get_float(const std::string& attribute, float otherwise) const {
  const auto found = floats.find(attribute);
  return found == floats.end() ? otherwise : found->second;
}

int64_t OnnxNode::get(const std::string& attribute, int64_t otherwise) const {
  const auto found = ints.find(attribute);
  return found == ints.end() || found->second.empty() ? otherwise : found->second[0];
}

std::vector<int64_t> OnnxNode::get(const std::string& attribute,
                                   std::vector<int64_t> otherwise) const {
  const auto found = ints.find(attribute);
  if (found == ints.end()) return otherwise;
  return found->second;
}

Result<OnnxModel> read_onnx(std::span<const uint8_t> bytes) {
  if (begins_as_tflite(bytes))
    return invalid("not an ONNX model but a TensorFlow Lite one: give its name the ending .tflite");
  onnx::ModelProto proto;
  if (bytes.size() > INT32_MAX ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !proto.has_graph())
    return invalid("not an ONNX model, or damaged");
  OnnxModel model;
  for (const onnx::OperatorSetIdProto& opset : proto.opset_import())
    if (opset.domain().empty() || opset.domain() == "ai.onnx") model.opset = opset.version();
  if (model.opset < kOldestOpset)
    return unsupported(
        fmt::format("opset {}; export with opset {} or later", model.opset, kOldestOpset));
  TT_TRY(read_graph(proto.graph(), model));
  if (model.nodes.empty()) return invalid("it has no operators");
  if (model.inputs.empty()) return invalid("it has no inputs");
  if (model.outputs.empty()) return invalid("it has no outputs");
  return model;
}

}  // namespace tinytune
