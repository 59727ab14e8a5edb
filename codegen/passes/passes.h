// Rewrites of a network that change no bit of its outputs.
//
// Each pass is one row of passes.inc and one .cc: it takes a network and leaves an equivalent one
// with less to execute. Every pass can be switched off by name, to test its exactness and to
// measure its benefit. Passes do not know of each other; the order of the rows is the order they
// run in.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "models/integer_network.h"
#include "tinytune/result.h"

namespace tinytune {

struct GraphPass {
  std::string_view name;         ///< what --disable-pass takes
  std::string_view description;  ///< one line, for people
  void (*run)(IntegerNetwork& network);
};

/// In the order they run.
std::span<const GraphPass> graph_passes();

/// kInvalidInput: neither the name of a pass nor "all"; the message lists the names.
Status check_pass_names(std::span<const std::string> names);

/// The model as it will be executed: integer forms, rewritten by every pass that is not disabled,
/// with WeightFacts proved. "all" disables every pass. kUnsupported, kInvalidInput: as prepare(),
/// check_pass_names().
Result<IntegerNetwork> executed_network(const Graph& model,
                                        std::span<const std::string> disabled = {});

}  // namespace tinytune
