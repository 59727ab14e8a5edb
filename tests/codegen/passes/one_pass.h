// A network rewritten by one graph pass alone.
#pragma once

#include <string>

#include "models/integer_network.h"

namespace tinytune::test {

/// With one pass on and every other off.
IntegerNetwork only(const Graph& graph, const std::string& pass);

/// On equals off: outputs of the rewritten network, by the reference operators and by generated
/// code, are those of the graph. Returns the rewritten network.
IntegerNetwork expect_same_outputs(const Graph& graph, const std::string& pass);

}  // namespace tinytune::test
