// tune ops: lists the supported operators, their kernels and their limits.
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/commands.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "cli/units.h"
#include "models/limits.h"
#include "models/onnx/onnx.h"
#include "templates/kernel_template.h"
#include "tinytune/model.h"

namespace tinytune {
namespace {

using namespace options;

struct KnownOperator {
  std::string_view name, form, limits;
};

constexpr KnownOperator kOperators[] = {
#define OPERATOR(kind, name, code, attributes, form, fewest, most, data, limits) \
  {#name, #form, limits},
#include "models/operators.inc"
#undef OPERATOR
};

constexpr const char* kFloatState = "float32 only";

/// Operators whose kernels in TensorFlow Lite Micro accept only float32; int8 models have none.
constexpr std::string_view kFloatOnly[] = {"CEIL",      "COS",        "EXP",   "FLOOR", "FLOOR_DIV",
                                           "FLOOR_MOD", "L2_POOL_2D", "LOG",   "NEG",   "ROUND",
                                           "SIN",       "SQRT",       "SQUARE"};

bool is_tuned(std::string_view form) {
  return form == "conv2d" || form == "depthwise" || form == "fully_connected" ||
         form == "batch_matmul" || form == "transpose_conv";
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
    for (const auto& [name, form, limits] : kOperators)
      all.push_back({{"name", name},
                     {"state", "supported"},
                     {"tuned", is_tuned(form)},
                     {"limits", limits}});
    for (const std::string_view name : kFloatOnly)
      all.push_back({{"name", name}, {"state", kFloatState}});
    return context.console.result(nlohmann::ordered_json{
        {"operators", std::move(all)},
        {"onnx", onnx_operators()},
        {"onnx_integers",
         onnx_integer_operators()}}.dump(2));
  }
  Table table({"operator", "computed by", "limits"});
  for (const auto& [name, form, limits] : kOperators)
    table.add(
        {std::string(name), is_tuned(form) ? "tuned kernels" : "generated C", std::string(limits)});
  for (const std::string_view name : kFloatOnly)
    table.add({std::string(name), kFloatState, "TensorFlow Lite Micro has no int8 kernel"});
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
