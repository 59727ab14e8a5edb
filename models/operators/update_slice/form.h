// The form of DYNAMIC_UPDATE_SLICE.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tinytune {

/// DYNAMIC_UPDATE_SLICE: operand 0 with a box of it replaced by operand 1. The box's corner is
/// operand 2, clamped so that the box lies inside.
struct UpdateSliceOp {
  std::array<int, 5> extents{1, 1, 1, 1, 1}, box{1, 1, 1, 1, 1};  ///< outermost first
  int rank = 1;  ///< of the operands: the corner's numbers, innermost last
  int element_bytes = 1;
  std::array<std::vector<uint8_t>, 2> constants;  ///< of operands 0 and 1
  std::vector<int32_t> constant_at;               ///< the corner, if constant
};

}  // namespace tinytune
