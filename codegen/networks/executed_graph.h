// The graph that runs: in its layouts, its operators in the order in which they run, and those
// that run in strips as flows.
//
// Three steps, each on what the one before made. Layouts add transforms. Groups of strips are runs
// of operators next to each other, so an order comes first: the model's, or with early shortcuts
// one in which these have moved away from between the layers around which they go. What is in no
// group then moves to where it keeps fewest bytes alive (operator_order.h).
#pragma once

#include <span>
#include <vector>

#include "codegen/networks/layout.h"
#include "codegen/networks/network.h"
#include "codegen/strips/strip_flow.h"
#include "models/integer_network.h"
#include "tinytune/result.h"

namespace tinytune {

/// What groups of strips are made of.
LaidOutGraph graph_of_groups(const IntegerNetwork& network, const NetworkOptions& options);

/// The same in the order in which it runs.
LaidOutGraph laid_out(const IntegerNetwork& network, const NetworkOptions& options);

/// The flows of groups of strips, in execution order. Errors as strip_flow(); kInvalidInput: groups
/// that overlap.
Result<std::vector<StripFlow>> strip_flows(const LaidOutGraph& network,
                                           std::span<const StripGroup> groups);

}  // namespace tinytune
