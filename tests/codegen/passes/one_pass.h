// A network rewritten by one graph pass alone.
#pragma once

#include <string>

#include "models/integer_network.h"

namespace tinytune::test {

/// Returns the graph's network, rewritten by `pass` and no other.
IntegerNetwork only(const Graph& graph, const std::string& pass);

/// Checks that the network rewritten by `pass` has the graph's outputs, by the reference operators
/// and by generated code. Returns the rewritten network.
IntegerNetwork expect_same_outputs(const Graph& graph, const std::string& pass);

}  // namespace tinytune::test
