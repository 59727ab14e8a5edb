// Adds DYNAMIC_UPDATE_SLICE to a random graph.
#include "tests/random_graphs/grow.h"

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
template <>
void grow<OperatorKind::kDynamicUpdateSlice>(GraphMaker& m) {
  const int x = m.source();
  const Tensor whole = m.tensor(x);
  Shape box;
  std::vector<int> room;
  for (const int extent : whole.shape) {
    box.push_back(m.chance(30) ? extent : m.between(1, extent));
    room.push_back(extent - box.back() + 1);
  }
  const int part =
      m.chance(50) ? m.fresh(box, whole.quantization) : m.random_constant(box, whole.quantization);
  const int corner = places(m, {static_cast<int>(box.size())}, room);
  const int y = like(m, x, whole.shape);
  m.op(OperatorKind::kDynamicUpdateSlice, {x, part, corner}, {y});
}

}  // namespace tinytune::bench
