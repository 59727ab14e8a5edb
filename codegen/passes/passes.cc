#include "codegen/passes/passes.h"

#include <algorithm>

namespace tinytune {

#define GRAPH_PASS(function, name, description) void function(IntegerNetwork& network);
#include "codegen/passes/passes.inc"
#undef GRAPH_PASS

std::span<const GraphPass> graph_passes() {
  static constexpr GraphPass kPasses[] = {
#define GRAPH_PASS(function, name, description) {name, description, &function},
#include "codegen/passes/passes.inc"
#undef GRAPH_PASS
  };
  return kPasses;
}

Status check_pass_names(std::span<const std::string> names) {
  for (const std::string& name : names) {
    const auto passes = graph_passes();
    if (name == "all" || std::any_of(passes.begin(), passes.end(),
                                     [&](const GraphPass& pass) { return pass.name == name; }))
      continue;
    std::string known;
    for (const GraphPass& pass : passes) known += std::string(pass.name) + ", ";
    return Error(ErrorCode::kInvalidInput,
                 "there is no pass '" + name + "'; there are " + known + "and all");
  }
  return ok_status();
}

Result<IntegerNetwork> executed_network(const Graph& model, std::span<const std::string> disabled) {
  TT_TRY(check_pass_names(disabled));
  const auto is_disabled = [&](std::string_view name) {
    return std::find(disabled.begin(), disabled.end(), name) != disabled.end();
  };
  TT_TRY_ASSIGN(IntegerNetwork network, integer_network(model));
  for (const GraphPass& pass : graph_passes())
    if (!is_disabled("all") && !is_disabled(pass.name)) pass.run(network);
  TT_TRY(prove_facts(network));
  return network;
}

}  // namespace tinytune
