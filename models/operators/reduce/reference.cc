// Reductions, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "schedules/requantise.h"

namespace tinytune::reference {
namespace {

// Calls f(output index) for every input element in order. Steps are 0 on reduced axes.
template <typename F>
void for_each_input(const std::array<int, 5>& extents, const std::array<int64_t, 5>& output_steps,
                    F f) {
  std::array<int, 5> at;
  for (at[0] = 0; at[0] < extents[0]; ++at[0])
    for (at[1] = 0; at[1] < extents[1]; ++at[1])
      for (at[2] = 0; at[2] < extents[2]; ++at[2])
        for (at[3] = 0; at[3] < extents[3]; ++at[3])
          for (at[4] = 0; at[4] < extents[4]; ++at[4]) {
            int64_t to = 0;
            for (size_t axis = 0; axis < at.size(); ++axis) to += at[axis] * output_steps[axis];
            f(static_cast<size_t>(to));
          }
}

}  // namespace

void run(const MeanOp& op, const Buffers& buffers) {
  std::vector<uint32_t> sums(static_cast<size_t>(op.output_elements), 0);
  size_t at = 0;
  for_each_input(op.extents, op.output_steps, [&](size_t to) {
    sums[to] += static_cast<uint32_t>(op.wide ? buffers.wide_input()[at] : buffers.input()[at]);
    ++at;
  });
  for (size_t i = 0; i < sums.size(); ++i) {
    const auto sum = static_cast<int32_t>(sums[i] + static_cast<uint32_t>(op.bias));
    const int32_t scaled = op.rounding == Rounding::kHalfToEven
                               ? scale_half_to_even(sum, op.multiplier, op.shift)
                               : multiply_by_quantized_multiplier(sum, op.multiplier, op.shift);
    if (op.wide)
      buffers.wide_output()[i] = static_cast<int16_t>(
          std::clamp<int64_t>(int64_t{scaled} + op.output_zero_point, -32768, 32767));
    else
      buffers.output()[i] = add_zero_point(scaled, op.output_zero_point, -128, 127);
  }
}

void run(const ReduceOp& op, const Buffers& buffers) {
  int8_t* output = buffers.output();
  const auto first = [&]() -> int8_t {
    switch (op.reduction) {
      case Reduction::kMaximum:
        return -128;
      case Reduction::kMinimum:
        return 127;
      case Reduction::kAll:
        return 1;
    }
    return 0;
  };
  std::fill(output, output + op.output_elements, first());
  const int8_t* x = buffers.input();
  for_each_input(op.extents, op.output_steps, [&](size_t to) {
    switch (op.reduction) {
      case Reduction::kMaximum:
        output[to] = std::max(output[to], *x++);
        break;
      case Reduction::kMinimum:
        output[to] = std::min(output[to], *x++);
        break;
      case Reduction::kAll:
        if (*x++ == 0) output[to] = 0;
        break;
    }
  });
}

void run(const ArgExtremumOp& op, const Buffers& buffers) {
  for (int64_t outer = 0; outer < op.outer; ++outer)
    for (int64_t inner = 0; inner < op.inner; ++inner) {
      const int8_t* x = buffers.input() + outer * op.axis * op.inner + inner;
      int32_t index = 0;
      int8_t best = *x;
      for (int32_t i = 1; i < op.axis; ++i) {
        x += op.inner;
        if (op.maximum ? *x > best : *x < best) best = *x, index = i;
      }
      std::memcpy(buffers.output() + (outer * op.inner + inner) * 4, &index, sizeof index);
    }
}

}  // namespace tinytune::reference
