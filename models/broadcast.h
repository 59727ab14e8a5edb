// How the operands of an elementwise operator line up.
#pragma once

#include <array>

namespace tinytune {

/// Output extents, outermost first, and each operand's step per axis in elements (0 where it is
/// repeated). Leading axes of extent 1 pad.
struct Broadcast {
  std::array<int, 5> extents{1, 1, 1, 1, 1};
  std::array<std::array<int, 5>, 3> steps{};  ///< by operand; most operators have two
  bool equal_shapes = true;  ///< then element i of the output needs element i of every operand
};

}  // namespace tinytune
