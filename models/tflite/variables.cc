#include "models/tflite/variables.h"

#include <algorithm>
#include <map>

#include "models/schema/tflite_subset_generated.h"
#include "models/tflite/model.h"

namespace tinytune {
namespace {

constexpr int kVarHandle = 142, kAssignVariable = 144;  // TFLite's codes

std::string text_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string() : text->str();
}

// Adds the variables of one subgraph, whose handles have ids of their own.
void add_variables(const schema::Model& model, int subgraph, std::vector<FileVariable>& all) {
  const auto* operators =
      model.subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(subgraph))->operators();
  if (operators == nullptr) return;
  std::map<int, size_t> variable_of;  // by the handle's id
  for (const schema::Operator* op : *operators) {
    const int code = builtin_code(model, *op).value_or(-1);
    if (code == kVarHandle && op->outputs() != nullptr && op->outputs()->size() == 1) {
      const auto* name = op->builtin_options_as_VarHandleOptions();
      if (name == nullptr) continue;
      const int handle = op->outputs()->Get(0);
      const auto known = find_variable(all, name);
      variable_of[handle] = known.value_or(all.size());
      if (!known)
        all.push_back(
            {text_of(name->container()), text_of(name->shared_name()), {subgraph, handle}, {}});
    }
    if (code == kAssignVariable && op->inputs() != nullptr && op->inputs()->size() == 2) {
      const auto known = variable_of.find(op->inputs()->Get(0));
      if (known != variable_of.end() && !all[known->second].value)
        all[known->second].value = {subgraph, op->inputs()->Get(1)};
    }
  }
}

}  // namespace

std::vector<FileVariable> file_variables(const schema::Model& model) {
  std::vector<FileVariable> all;
  for (flatbuffers::uoffset_t s = 0; s < model.subgraphs()->size(); ++s)
    add_variables(model, static_cast<int>(s), all);
  return all;
}

std::optional<size_t> find_variable(const std::vector<FileVariable>& variables,
                                    const schema::VarHandleOptions* name) {
  if (name == nullptr) return std::nullopt;
  for (size_t i = 0; i < variables.size(); ++i)
    if (variables[i].shared_name == text_of(name->shared_name()) &&
        (name->container() == nullptr || variables[i].container == text_of(name->container())))
      return i;
  return std::nullopt;
}

}  // namespace tinytune
