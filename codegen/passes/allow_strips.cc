// Strips: consecutive operators may be computed some rows at a time. Which ones are is decided
// where memory is known (deploy/strip_search.h); the operators themselves stay as they are.
#include "codegen/passes/rewriting.h"

namespace tinytune {

void allow_strips(IntegerNetwork& network) { network.may_run_in_strips = true; }

}  // namespace tinytune
