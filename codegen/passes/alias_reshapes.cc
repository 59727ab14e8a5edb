// RESHAPE, SQUEEZE and EXPAND_DIMS: the bytes stay where they are and get another name.
#include "codegen/passes/rewriting.h"

namespace tinytune {

void alias_reshapes(IntegerNetwork& network) {
  for (IntegerOp& op : network.ops)
    if (auto* copy = std::get_if<CopyOp>(&op)) copy->in_place = true;
}

}  // namespace tinytune
