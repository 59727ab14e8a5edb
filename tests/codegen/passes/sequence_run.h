// Runs networks with state for several inferences: after the passes they have the same outputs, by
// the reference and as generated code.
#pragma once

#include <string>
#include <vector>

#include "models/integer_network.h"

namespace tinytune::test {

/// Returns the network as it is executed, without the passes named.
IntegerNetwork expect_same_sequence(const Graph& graph,
                                    const std::vector<std::string>& disabled = {});

}  // namespace tinytune::test
