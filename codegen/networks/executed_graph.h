// The graph that runs: operators with their layouts, in execution order, and groups of strips as
// flows.
//
// It is made in three steps. Layouts add transforms. Groups of strips consist of adjacent
// operators, so an order is fixed next: the model's or, with early shortcuts, one in which
// shortcuts no longer stand between the layers that they bypass. Operators in no group then move to
// where they keep fewest bytes alive (operator_order.h).
#pragma once

#include <span>
#include <vector>

#include "codegen/networks/layout.h"
#include "codegen/networks/network.h"
#include "codegen/strips/strip_flow.h"
#include "models/integer_network.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns the graph in the order from which groups of strips are formed.
LaidOutGraph graph_of_groups(const IntegerNetwork& network, const NetworkOptions& options);

/// Returns the graph in execution order.
LaidOutGraph laid_out(const IntegerNetwork& network, const NetworkOptions& options);

/// Returns the flows of groups of strips, in execution order. Errors as strip_flow();
/// kInvalidInput: groups that overlap.
Result<std::vector<StripFlow>> strip_flows(const LaidOutGraph& network,
                                           std::span<const StripGroup> groups);

}  // namespace tinytune
