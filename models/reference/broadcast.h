// Loops of elementwise operators with two or three operands, any of which may be broadcast or
// constant.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/reference/reference.h"

namespace tinytune::reference {

/// Returns an operator's operands as elements of type T, each from its constant or the next input.
template <typename T, typename Byte, size_t kOperands>
std::array<const T*, kOperands> operands_of(
    const std::array<std::vector<Byte>, kOperands>& constants, const Buffers& buffers) {
  std::array<const T*, kOperands> operands;
  size_t next = 0;
  for (size_t i = 0; i < kOperands; ++i) {
    const void* from = constants[i].empty() ? static_cast<const void*>(buffers.input(next++))
                                            : static_cast<const void*>(constants[i].data());
    operands[i] = static_cast<const T*>(from);
  }
  return operands;
}

/// Calls f(offsets of the operands) for every output element in order.
template <typename F>
void for_each_offset(const Broadcast& b, F f) {
  std::array<int, 5> at;
  for (at[0] = 0; at[0] < b.extents[0]; ++at[0])
    for (at[1] = 0; at[1] < b.extents[1]; ++at[1])
      for (at[2] = 0; at[2] < b.extents[2]; ++at[2])
        for (at[3] = 0; at[3] < b.extents[3]; ++at[3])
          for (at[4] = 0; at[4] < b.extents[4]; ++at[4]) {
            std::array<int64_t, 3> offset{};
            for (size_t operand = 0; operand < offset.size(); ++operand)
              for (size_t axis = 0; axis < at.size(); ++axis)
                offset[operand] += int64_t{at[axis]} * b.steps[operand][axis];
            f(offset);
          }
}

/// Calls f(a, b) for every output element in order and stores what it returns.
template <typename T, typename Out, typename F>
void for_each(const Broadcast& b, std::array<const T*, 2> x, Out* output, F f) {
  for_each_offset(b, [&](const std::array<int64_t, 3>& offset) {
    *output++ = f(x[0][offset[0]], x[1][offset[1]]);
  });
}

/// Returns the entry of an int8 value in a table that begins with -128's.
template <typename T>
T term(const std::vector<T>& terms, int8_t x) {
  return terms[static_cast<size_t>(x + 128)];
}

}  // namespace tinytune::reference
