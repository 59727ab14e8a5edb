// Arithmetic on numbers without a scale.
#include <algorithm>

#include "models/operators/elementwise/raw_arithmetic.h"
#include "models/reference/broadcast.h"

namespace tinytune::reference {
namespace {

template <typename T>
void run_as(const RawArithmeticOp& op, const Buffers& buffers) {
  void* const output = buffers.outputs[0].data();
  for_each(op.broadcast, operands_of<T>(op.constants, buffers), static_cast<T*>(output),
           [&](T a, T b) {
             return static_cast<T>(
                 std::clamp(computed(op.function, a, b), op.activation_min, op.activation_max));
           });
}

}  // namespace

void run(const RawArithmeticOp& op, const Buffers& buffers) {
  op.type == ElementType::kInt16 ? run_as<int16_t>(op, buffers) : run_as<int32_t>(op, buffers);
}

}  // namespace tinytune::reference
