#include "codegen/passes/boxes.h"

#include <algorithm>

namespace tinytune {

bool is_whole(const Box& box, int64_t offset, const BoxSteps& steps, int64_t elements) {
  int64_t inside = 1;
  for (size_t axis = steps.size(); axis-- > 0;) {
    if (box.extents[axis] == 1) continue;
    if (steps[axis] != inside) return false;
    inside *= box.extents[axis];
  }
  return offset == 0 && inside == elements;
}

std::optional<int> box_input(const Graph& graph, const Operator& op, int tensor) {
  if (std::count(op.inputs.begin(), op.inputs.end(), tensor) != 1) return std::nullopt;
  int input = 0;
  for (const int other : op.inputs) {
    if (other == tensor) break;
    if (other >= 0 && !graph.tensor(other).is_constant) ++input;
  }
  return input;
}

std::optional<int> only_moved(const Graph& graph, const Operator& op) {
  std::optional<int> only;
  for (const int tensor : op.inputs) {
    if (tensor < 0 || graph.tensor(tensor).is_constant) continue;
    if (only) return std::nullopt;
    only = tensor;
  }
  return only;
}

}  // namespace tinytune
