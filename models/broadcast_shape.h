// The broadcast shape of two operands, aligned at the last axis.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

namespace tinytune {

/// Returns nullopt if two aligned extents differ and neither is 1.
inline std::optional<std::vector<int>> broadcast_shape(const std::vector<int>& a,
                                                       const std::vector<int>& b) {
  std::vector<int> shape(std::max(a.size(), b.size()), 1);
  for (const std::vector<int>* operand : {&a, &b})
    for (size_t i = 0; i < operand->size(); ++i) {
      int& extent = shape[shape.size() - operand->size() + i];
      const int own = (*operand)[i];
      if (extent != 1 && own != 1 && own != extent) return std::nullopt;
      if (own != 1) extent = own;
    }
  return shape;
}

}  // namespace tinytune
