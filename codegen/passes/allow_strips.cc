// Strips: consecutive operators may be computed some rows at a time. Which ones are is decided
// where memory is known (deploy/strip_plan/orders.h); the operators themselves stay as they are.
// With control flow, all operators run as wholes.
#include "codegen/passes/rewriting.h"
#include "models/control_flow.h"

namespace tinytune {

void allow_strips(IntegerNetwork& network) {
  network.may_run_in_strips = !has_control_flow(network.graph);
}

}  // namespace tinytune
