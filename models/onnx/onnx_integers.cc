#include "models/onnx/onnx_integers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/onnx/onnx_constants.h"
#include "models/onnx/onnx_operators.h"

namespace tinytune {
namespace {

constexpr int kBytes = 256;

}  // namespace

int64_t OnnxScaling::scaled(int64_t x) const {
  const int64_t half = shift > 0 ? int64_t{1} << (shift - 1) : 0;
  return std::clamp<int64_t>((x * multiplier[0] + addend[0] + half) >> shift, low, high);
}

bool OnnxScaling::is_along(size_t axis, size_t rank) const {
  for (const std::vector<int>* shape : {&multiplier_shape, &addend_shape})
    for (size_t i = 0; i < shape->size(); ++i)
      if ((*shape)[i] != 1 && rank - shape->size() + i != axis) return false;
  return true;
}

std::vector<int> OnnxScaling::operands(OnnxGraph& graph) const {
  return {graph.add_numbers("multiplier", multiplier, multiplier_shape),
          graph.add_numbers("addend", addend, addend_shape),
          graph.add_numbers("limits", {shift, low, high}, {3})};
}

Quantization plain_quantization(ElementType type) {
  if (type == ElementType::kInt32) return {};
  return plain_scale(type).quantization();
}

OnnxScale plain_scale(ElementType type) {
  return {{1}, {type == ElementType::kUint8 ? -128 : 0}, type, 0};
}

Status OnnxIntegers::add_inputs(std::span<const std::string> given) {
  TT_TRY(find_types(given));
  for (const OnnxValue& input : model_.inputs) {
    const ElementType type = types_.at(input.name);
    int id =
        graph().add(input.name, type, input.shape,
                    type == ElementType::kInt8 ? plain_quantization(type) : Quantization{}, false);
    graph().add_input(id);
    if (type == ElementType::kUint8) {
      Quantization q = plain_quantization(type);
      const int bytes = graph().add(input.name, ElementType::kInt8, input.shape, q, false);
      q.zero_points = {0};
      graph().give_quantization(id, q);
      graph().add_operator(OperatorKind::kQuantize, {id}, bytes);
      id = bytes;
    }
    wholes_[input.name] = {id, type, {}, nullptr};
  }
  return ok_status();
}

const OnnxTensor* OnnxIntegers::constant(const OnnxNode& node, size_t i) const {
  return node.has_input(i) ? import_.values().constant(node.inputs[i]) : nullptr;
}

Result<std::vector<int32_t>> OnnxIntegers::numbers(const OnnxNode& node,
                                                   const OnnxTensor& tensor) const {
  std::vector<int32_t> values;
  for (size_t i = 0; i < static_cast<size_t>(tensor.elements()); ++i) {
    const double value = tensor.at(i);
    if (value != std::nearbyint(value) || value < INT32_MIN || value > INT32_MAX)
      return OnnxValues::unsupported(
          node, fmt::format("a constant holds {}, which is no int32; a network of integers is "
                            "meant",
                            value));
    values.push_back(static_cast<int32_t>(value));
  }
  return values;
}

std::optional<int64_t> OnnxIntegers::attribute(const OnnxNode& node, const std::string& name) {
  if (const auto found = node.ints.find(name); found != node.ints.end() && !found->second.empty())
    return found->second[0];
  if (const auto found = node.floats.find(name); found != node.floats.end())
    return std::llround(found->second);
  if (const auto found = node.tensors.find(name);
      found != node.tensors.end() && found->second.elements() == 1)
    return std::llround(found->second.at(0));
  return std::nullopt;
}

ElementType OnnxIntegers::narrowest(const std::vector<int32_t>& values) {
  const auto within = [&](int32_t low, int32_t high) {
    return std::all_of(values.begin(), values.end(),
                       [&](int32_t v) { return v >= low && v <= high; });
  };
  if (within(-128, 127)) return ElementType::kInt8;
  return within(0, 255) ? ElementType::kUint8 : ElementType::kInt32;
}

Result<int64_t> OnnxIntegers::required(const OnnxNode& node, const std::string& name) {
  const auto value = attribute(node, name);
  if (!value || std::abs(*value) > int64_t{1} << 40)
    return OnnxValues::invalid(node, "its attribute " + name + " is no integer");
  return *value;
}

Result<OnnxWhole> OnnxIntegers::operand(const OnnxNode& node, size_t i) {
  if (!node.has_input(i)) return OnnxValues::invalid(node, "too few inputs");
  if (const auto found = wholes_.find(node.inputs[i]); found != wholes_.end()) return found->second;
  if (const auto other = model_.unreadable.find(node.inputs[i]); other != model_.unreadable.end())
    return OnnxValues::unsupported(
        node, "its input " + OnnxValues::shown(node.inputs[i]) + " is " + other->second);
  const OnnxTensor* tensor = constant(node, i);
  if (tensor == nullptr) return OnnxValues::invalid(node, "it reads what is not computed before");
  if (tensor->elements() < 1) return OnnxValues::invalid(node, "an operand without elements");
  TT_TRY_ASSIGN(const std::vector<int32_t> values, numbers(node, *tensor));
  OnnxWhole whole;
  whole.type = narrowest(values);
  if (whole.type == ElementType::kInt32) {
    whole.id = graph().add_numbers("constant", values, tensor->shape);
  } else {
    std::vector<uint8_t> bytes;
    for (const int32_t value : values)
      bytes.push_back(
          static_cast<uint8_t>(whole.type == ElementType::kUint8 ? value - 128 : value));
    whole.id = graph().add_constant("constant", ElementType::kInt8, tensor->shape, std::move(bytes),
                                    plain_quantization(whole.type));
  }
  return whole;
}

std::vector<int> OnnxIntegers::shape(const OnnxWhole& whole) {
  return whole.sums ? whole.sums->shape(*this) : graph().onnx_shape(whole.id);
}

ElementType OnnxIntegers::type_of(int id) {
  if (graph().tensor(id).type == ElementType::kInt32) return ElementType::kInt32;
  return graph().zero_of(id) == 0 ? ElementType::kInt8 : ElementType::kUint8;
}

std::vector<int64_t> OnnxIntegers::values_of(const OnnxWhole& whole) {
  if (!whole.values.empty()) return whole.values;
  std::vector<int64_t> values;
  for (int x = -128; x < 128; ++x) values.push_back(x - graph().zero_of(whole.id));
  return values;
}

Result<int> OnnxIntegers::tensor(const OnnxNode& node, size_t i) {
  TT_TRY_ASSIGN(OnnxWhole whole, operand(node, i));
  if (!whole.sums && whole.values.empty()) return whole.id;
  TT_TRY_ASSIGN(whole.id, stored(node, whole));
  whole.values.clear();
  whole.sums = nullptr;
  wholes_[node.inputs[i]] = whole;  // stored once for all readers
  return whole.id;
}

Result<int> OnnxIntegers::stored(const OnnxNode& node, const OnnxWhole& whole) {
  if (whole.sums) return whole.sums->stored(*this);
  if (whole.values.empty()) return whole.id;
  const Tensor from = graph().tensor(whole.id);
  const bool is_byte = whole.is_byte();
  const Quantization q = plain_quantization(whole.type);
  const OnnxWhole source{whole.id, type_of(whole.id), {}, nullptr};
  if (source.type == whole.type && values_of(source) == whole.values) return whole.id;
  const int to = graph().add(node.outputs.at(0), is_byte ? ElementType::kInt8 : ElementType::kInt32,
                             from.shape, q, graph().channels_last(whole.id));
  if (!is_byte) {
    std::vector<int32_t> table;
    for (const int64_t value : whole.values) table.push_back(static_cast<int32_t>(value));
    const int numbers = graph().add_numbers("table", table, {kBytes});
    graph().add_operator(OperatorKind::kIntegerTable, {whole.id, numbers}, to);
    return to;
  }
  TableAttributes attributes;
  for (int x = -128; x < 128; ++x)
    attributes.table[static_cast<uint8_t>(x)] =
        static_cast<uint8_t>(whole.values[static_cast<size_t>(x + 128)] + q.zero_points[0]);
  graph().add_operator(OperatorKind::kQuantize, {whole.id}, to, attributes);
  return to;
}

Result<int> OnnxIntegers::widened(const OnnxNode& node, int id) {
  if (graph().tensor(id).type == ElementType::kInt32) return id;
  OnnxWhole whole{id, type_of(id), {}, nullptr};
  whole.values = values_of(whole);
  whole.type = ElementType::kInt32;
  return stored(node, whole);
}

Result<bool> OnnxIntegers::read_constant(const OnnxNode& node) {
  std::optional<OnnxTensor> folded;
  if (node.type == "Shape") {
    if (const auto found = wholes_.find(node.inputs[0]); found != wholes_.end())
      folded = shape_tensor(node, shape(found->second));
  }
  const auto inputs = import_.values().constants(node);
  for (size_t i = 0; i < inputs.size() && !folded; ++i)
    if (inputs[i] == nullptr && node.has_input(i)) return false;
  if (!folded) {
    TT_TRY_ASSIGN(folded, fold_constant(node, inputs));
  }
  if (!folded) return false;
  model_.initializers[node.outputs[0]] = std::move(*folded);
  return true;
}

// Imports a move as in quantised networks, from tensor to tensor.
Result<OnnxWhole> OnnxIntegers::moved(const OnnxNode& node, int output) {
  TT_TRY_ASSIGN(const int from, tensor(node, 0));
  TT_TRY_ASSIGN(const int to, find_onnx_operator(node)->move(import_, node, output, {from}));
  return OnnxWhole{to, type_of(from), {}, nullptr};
}

Result<OnnxWhole> OnnxIntegers::computed(const OnnxNode& node) {
  const OnnxOperator& op = *find_onnx_operator(node);
  if (op.of_integer != nullptr) {
    TT_TRY_ASSIGN(const OnnxWhole x, operand(node, 0));
    if (x.is_byte() && constant(node, 0) == nullptr)
      return mapped(x, op.gives.value_or(x.type),
                    [&](int64_t value) { return op.of_integer(node, value); });
    if (op.integers == nullptr)
      return OnnxValues::unsupported(node, "its input is int32, not int8 or uint8");
  }
  return op.integers(*this, node);
}

Status OnnxIntegers::read(const OnnxNode& node) {
  if (node.outputs.empty() || node.inputs.empty())
    return OnnxValues::invalid(node, "it has no inputs or no outputs");
  for (const std::string& name : node.outputs)
    if (import_.values().constant(name) != nullptr || wholes_.count(name) != 0)
      return OnnxValues::invalid(node, "it computes what is there already");
  TT_TRY_ASSIGN(const bool is_constant, read_constant(node));
  if (is_constant) return ok_status();
  const OnnxOperator* op = find_onnx_operator(node);
  const bool is_known = op != nullptr && (op->integers != nullptr || op->of_integer != nullptr ||
                                          op->move != nullptr);
  if (!is_known)
    return OnnxValues::unsupported(
        node, "has no meaning here among plain integers (`tune ops` lists those that have)");
  if (op->integers != nullptr || op->of_integer != nullptr) {
    TT_TRY_ASSIGN(wholes_[node.outputs[0]], computed(node));
    return ok_status();
  }
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (!node.outputs[i].empty()) {
      TT_TRY_ASSIGN(wholes_[node.outputs[i]], moved(node, static_cast<int>(i)));
    }
  return ok_status();
}

Status OnnxIntegers::store_outputs() {
  std::vector<int> taken;
  for (const OnnxValue& input : model_.inputs) taken.push_back(wholes_.at(input.name).id);
  for (const OnnxValue& output : model_.outputs) {
    if (wholes_.count(output.name) == 0) continue;  // OnnxImport::add_outputs() refuses it
    OnnxNode reader;
    reader.index = static_cast<int>(model_.nodes.size());
    reader.type = "output";
    reader.inputs = reader.outputs = {output.name};
    TT_TRY_ASSIGN(int id, tensor(reader, 0));
    id = graph().to_onnx_order(id);
    // An output needs bytes of its own: it may share them with no input and no other output.
    if (std::find(taken.begin(), taken.end(), id) != taken.end())
      id = graph().reshaped(id, graph().tensor(id).shape, false);
    taken.push_back(id);
    import_.set_bytes(output.name, {id, type_of(id), {}});
  }
  return ok_status();
}

}  // namespace tinytune
