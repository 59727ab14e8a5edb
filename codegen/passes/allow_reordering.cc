// Order: operators may run before others that the model lists first. Which ones do is decided where
// memory is known (codegen/networks/operator_order.h). Networks with state, control flow or
// functions of the user's keep the model's order.
#include "codegen/passes/rewriting.h"
#include "models/control_flow.h"

namespace tinytune {

void allow_reordering(IntegerNetwork& network) {
  network.may_reorder = !has_control_flow(network.graph) && !has_state(network.graph) &&
                        network.graph.externals.empty();
}

}  // namespace tinytune
