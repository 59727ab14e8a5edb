// Arithmetic on numbers without a scale.
#include <algorithm>

#include "models/reference/broadcast.h"

namespace tinytune::reference {
namespace {

using Function = RawArithmeticOp::Function;

int32_t computed(Function function, int32_t a, int32_t b) {
  const auto x = static_cast<uint32_t>(a), y = static_cast<uint32_t>(b);  // they wrap
  switch (function) {
    case Function::kAdd:
      return static_cast<int32_t>(x + y);
    case Function::kSubtract:
      return static_cast<int32_t>(x - y);
    case Function::kMultiply:
      return static_cast<int32_t>(x * y);
    case Function::kMaximum:
      return std::max(a, b);
    case Function::kMinimum:
      break;
  }
  return std::min(a, b);
}

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
