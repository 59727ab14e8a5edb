// Arithmetic on int32 without a scale.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/operators/elementwise/form.h"

namespace tinytune::reference {

/// Sums and products wrap.
inline int32_t computed(RawArithmeticOp::Function function, int32_t a, int32_t b) {
  using Function = RawArithmeticOp::Function;
  const auto x = static_cast<uint32_t>(a), y = static_cast<uint32_t>(b);
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

}  // namespace tinytune::reference
