// Finds the integer types of the inputs of a network of plain integers: from the file, from the
// user, or from an operator that reads them and accepts only one type.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "models/onnx/onnx_integers.h"
#include "models/onnx/onnx_operators.h"

namespace tinytune {
namespace {

using Types = std::map<std::string, ElementType>;

constexpr int64_t kMostByteLevels = 256;

bool is_of_dialect(const OnnxNode& node) {
  const OnnxOperator* op = find_onnx_operator(node);
  return op != nullptr && op->is_of_dialect();
}

std::optional<ElementType> type_named(std::string_view name) {
  for (const ElementType type : {ElementType::kUint8, ElementType::kInt8, ElementType::kInt32})
    if (name == name_of(type)) return type;
  return std::nullopt;
}

// Returns the type of a node's result if its operator or attributes determine it.
std::optional<ElementType> result_type(const OnnxNode& node) {
  const OnnxOperator* op = find_onnx_operator(node);
  if (op == nullptr) return std::nullopt;
  if (node.type != "RequantShift") return op->gives;
  const auto is_signed = OnnxIntegers::attribute(node, "signed");
  const auto levels = OnnxIntegers::attribute(node, "n_levels_out");
  if (!is_signed || levels.value_or(kMostByteLevels) > kMostByteLevels) return std::nullopt;
  return *is_signed != 0 ? ElementType::kInt8 : ElementType::kUint8;
}

// Returns whether operands and results have one type: those of Concat and of other moves.
bool keeps_type(const OnnxNode& node) {
  const OnnxOperator* op = find_onnx_operator(node);
  return op != nullptr && op->move != nullptr;
}

// Propagates types through the network in both directions until nothing changes.
Types followed(const OnnxModel& model, Types types) {
  for (size_t known = 0; known != types.size() || known == 0;) {
    known = std::max<size_t>(types.size(), 1);
    for (const OnnxNode& node : model.nodes) {
      const OnnxOperator* op = find_onnx_operator(node);
      if (op == nullptr || node.inputs.empty() || node.outputs.empty()) continue;
      if (const auto type = result_type(node)) types.try_emplace(node.outputs[0], *type);
      if (op->takes) types.try_emplace(node.inputs[0], *op->takes);
      if (!keeps_type(node)) continue;
      std::vector<std::string> alike = node.outputs;
      for (size_t i = 0; i < data_inputs(node); ++i) alike.push_back(node.inputs[i]);
      for (const std::string& name : alike) {
        const auto found = types.find(name);
        if (found == types.end()) continue;
        const ElementType type = found->second;
        for (const std::string& other : alike) types.try_emplace(other, type);
        break;
      }
    }
  }
  return types;
}

std::string names_of(const std::vector<OnnxValue>& values) {
  std::string names;
  for (const OnnxValue& value : values)
    names += (names.empty() ? "" : ", ") + OnnxValues::shown(value.name);
  return names;
}

}  // namespace

bool is_of_integers(const OnnxModel& model, std::span<const std::string> types) {
  return !types.empty() || std::any_of(model.nodes.begin(), model.nodes.end(), is_of_dialect);
}

Status OnnxIntegers::find_types(std::span<const std::string> given) {
  Types types;
  std::optional<ElementType> others;  // of inputs whose types are not known otherwise: "*=int8"
  for (const std::string& text : given) {
    const size_t at = text.rfind('=');
    const std::string name = text.substr(0, at);
    const auto type = at == std::string::npos ? std::nullopt : type_named(text.substr(at + 1));
    const bool is_input = std::any_of(model_.inputs.begin(), model_.inputs.end(),
                                      [&](const OnnxValue& in) { return in.name == name; });
    if (!type)
      return Error(
          ErrorCode::kInvalidInput,
          "--input-type is NAME=uint8, NAME=int8 or NAME=int32, and NAME may be * for all that "
          "nothing else tells, not " +
              OnnxValues::shown(text));
    if (name == "*") {
      others = type;
      continue;
    }
    // Inputs without elements have become initializers; a type may be given for them, too.
    if (!is_input && model_.initializers.count(name) == 0)
      return Error(ErrorCode::kInvalidInput,
                   fmt::format("--input-type: no input {}, but {}", OnnxValues::shown(name),
                               names_of(model_.inputs)));
    types[name] = *type;
  }
  for (const OnnxValue& input : model_.inputs)
    if (type_named(name_of(input.type))) types.try_emplace(input.name, input.type);
  types = followed(model_, std::move(types));
  if (others)
    for (const OnnxValue& input : model_.inputs) types.try_emplace(input.name, *others);
  std::vector<OnnxValue> untyped;
  std::copy_if(model_.inputs.begin(), model_.inputs.end(), std::back_inserter(untyped),
               [&](const OnnxValue& input) { return types.count(input.name) == 0; });
  if (!untyped.empty())
    return Error(ErrorCode::kInvalidInput,
                 fmt::format("nothing says which integers {} {}; give --input-type "
                             "NAME=uint8|int8|int32 for each, or *=TYPE for all",
                             names_of(untyped), untyped.size() == 1 ? "holds" : "hold"));
  types_ = std::move(types);
  return ok_status();
}

}  // namespace tinytune
