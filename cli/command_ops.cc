// tune ops: what operators there are, what computes them, and their limits.
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/commands.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "cli/units.h"
#include "models/limits.h"
#include "models/onnx/onnx.h"
#include "models/operator_states.h"
#include "templates/kernel_template.h"
#include "tinytune/model.h"

namespace tinytune {
namespace {

using namespace options;

struct KnownOperator {
  std::string_view name, form;
};

constexpr KnownOperator kOperators[] = {
#define OPERATOR(kind, name, code, attributes, form, ...) {#name, #form},
#include "models/operators.inc"
#undef OPERATOR
};

/// What a user has to know of an operator before a model is refused.
std::string_view limits_of(std::string_view form) {
  constexpr std::pair<std::string_view, std::string_view> kLimits[] = {
      {"conv2d",
       "int8, or int16 as generated C; weights per-channel or per-tensor, int8 or int4; a ReLU or "
       "none; constant weights"},
      {"depthwise",
       "int8, or int16 as generated C; weights int8 or int4, constant; a ReLU or none"},
      {"fully_connected",
       "int8, or int16 as generated C; weights int8 or int4, or computed ones of int8 as generated "
       "C; a ReLU or none"},
      {"transpose_conv", "int8 or int16; constant weights; a ReLU or none"},
      {"mean", "int8 or int16, up to 5 axes"},
      {"sum", "int8 or int16, up to 5 axes"},
      {"softmax", "int8 to int8 or int16, or int16; innermost axis"},
      {"add", "int8, int16 or int32, broadcast up to 5 axes"},
      {"sub", "int8, int16 or int32, broadcast up to 5 axes"},
      {"mul", "int8, int16 or int32, broadcast up to 5 axes"},
      {"maximum", "int8, int16 or int32; equal scales"},
      {"minimum", "int8, int16 or int32; equal scales"},
      {"quantize",
       "float32, int8 or uint8 to int8 or uint8; float32, int8, int16 or int32 to int8 or int16; "
       "int8 or int16 to int32"},
      {"dequantize", "int8, uint8 or int16 to float32"},
      {"resize", "int8, constant size"},
      {"resize_bilinear", "int8, constant size"},
      {"batch_matmul", "int8; tuned where the right side is a constant matrix without zero point"},
      {"gather", "int8 or float32; computed places are brought inside"},
      {"gather_nd", "int8 or float32; computed places are brought inside"},
      {"embedding_lookup", "int8 or float32; computed places are brought inside"},
      {"div", "int8, broadcast up to 5 axes"},
      {"select", "a bool and two of 1, 2 or 4 bytes, broadcast up to 5 axes"},
      {"cast", "bool, int8, int16 or int32 to int8, int16 or int32"},
      {"average_pool", "int8 or int16"},
      {"max_pool", "int8 or int16"},
      {"logistic", "int8 or int16"},
      {"tanh", "int8 or int16"},
      {"pad", "int8, int16 or int32"},
      {"relu", "int8 or int16"},
      {"relu6", "int8 or int16"},
      {"leaky_relu", "int8 or int16"},
      {"whole_copy", "any type; every value of a variable has the same size"},
      {"nothing", "static shapes; a condition is one bool, CALL_ONCE assigns constants"},
      {"svdf", "int8; state and time weights of int16 or int8"},
      {"broadcast_args", "constant shapes of int32 or int64"},
      {"decode", "look-up, Huffman or pruning of constants, version 1"},
      {"lstm",
       "int8 or int16 with an int16 cell; neither peephole, projection nor layer normalisation"}};
  for (const auto& [name, text] : kLimits)
    if (name == form) return text;
  return "int8";
}

bool is_tuned(std::string_view form) {
  return form == "conv2d" || form == "depthwise" || form == "fully_connected" ||
         form == "batch_matmul";
}

/// Of TensorFlow Lite Micro's operators, those that import refuses.
std::vector<OperatorStateRow> unsupported() {
  std::vector<OperatorStateRow> rows = operator_states();
  std::erase_if(rows,
                [](const OperatorStateRow& row) { return row.state == OperatorState::kSupported; });
  return rows;
}

std::string templates_text() {
  std::string names;
  for (const KernelTemplate& t : kernel_templates())
    names += (names.empty() ? "" : ", ") + std::string(t.name);
  return names;
}

std::string joined(const std::vector<std::string_view>& all) {
  std::string names;
  for (const std::string_view name : all) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::string limits_text() {
  return "\na model may have " + grouped(kMostOperators) + " operators, " +
         grouped(kMostTensorBytes >> 20) + " MiB a tensor, " + grouped(kMostConstantBytes >> 20) +
         " MiB of constants, " + grouped(kMostOperations) + " multiply-accumulates\n";
}

int run_ops(const Arguments& arguments, const Context& context) {
  if (arguments.json) {
    auto all = nlohmann::ordered_json::array();
    for (const auto& [name, form] : kOperators)
      all.push_back({{"name", name},
                     {"state", name_of(OperatorState::kSupported)},
                     {"tuned", is_tuned(form)},
                     {"limits", limits_of(form)}});
    for (const OperatorStateRow& row : unsupported())
      all.push_back({{"name", row.name}, {"state", name_of(row.state)}});
    return context.console.result(nlohmann::ordered_json{
        {"operators", std::move(all)},
        {"onnx", onnx_operators()},
        {"onnx_integers",
         onnx_integer_operators()}}.dump(2));
  }
  Table table({"operator", "computed by", "limits"});
  for (const auto& [name, form] : kOperators)
    table.add({std::string(name), is_tuned(form) ? "tuned kernels" : "generated C",
               std::string(limits_of(form))});
  for (const OperatorStateRow& row : unsupported())
    table.add({std::string(row.name), std::string(name_of(row.state)),
               row.state == OperatorState::kFloatOnly ? "TensorFlow Lite Micro has no int8 kernel"
                                                      : "-"});
  return context.console.result(table.text() + "\nONNX operators: " + joined(onnx_operators()) +
                                "\n\nONNX operators on plain integers (Deeploy, QuantLib): " +
                                joined(onnx_integer_operators()) +
                                "\n\nkernel templates: " + templates_text() + limits_text() +
                                "Anything else is refused when a model is read, in a line that "
                                "names it (`tune inspect`).\n");
}

}  // namespace

Command ops_command() {
  return {.name = "ops",
          .summary = "List the operators, what computes them, and their limits",
          .options = {json()},
          .examples = "Example: tune ops --json",
          .does = does<run_ops>(),
          .interruption = Interruption::kEndsIt};
}

}  // namespace tinytune
