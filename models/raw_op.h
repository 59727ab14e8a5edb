// The integer form of arithmetic on numbers that have no scale: counters, indices and lengths
// beside the quantised activations of a network.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/broadcast.h"
#include "models/graph.h"

namespace tinytune {

/// ADD, SUB and MUL of int32, MAXIMUM and MINIMUM of int32 and int16. Sums and products wrap, as on
/// every core; in TensorFlow Lite's C++ they are undefined.
struct RawArithmeticOp {
  enum class Function { kAdd, kSubtract, kMultiply, kMaximum, kMinimum };
  Function function = Function::kAdd;
  ElementType type = ElementType::kInt32;
  int32_t activation_min = std::numeric_limits<int32_t>::min();
  int32_t activation_max = std::numeric_limits<int32_t>::max();
  Broadcast broadcast;
  std::array<std::vector<uint8_t>, 2> constants;  ///< of an operand that is a constant, else empty
};

}  // namespace tinytune
