// How the operands of an elementwise operator broadcast.
#pragma once

#include <array>

namespace tinytune {

/// Output extents, outermost first, and each operand's step per axis in elements (0: broadcast on
/// that axis). Leading axes of extent 1 pad the shape to 5 axes.
struct Broadcast {
  std::array<int, 5> extents{1, 1, 1, 1, 1};
  std::array<std::array<int, 5>, 3> steps{};  ///< by operand; most operators have two
  bool equal_shapes = true;                   ///< output element i reads element i of every operand
};

}  // namespace tinytune
