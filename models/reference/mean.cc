#include <vector>

#include "models/reference/reference.h"
#include "schedules/requantise.h"

namespace tinytune::reference {

void run(const MeanOp& op, const Buffers& buffers) {
  std::vector<uint32_t> sums(static_cast<size_t>(op.output_elements), 0);
  const int8_t* x = buffers.input();
  std::array<int, 5> at;
  for (at[0] = 0; at[0] < op.extents[0]; ++at[0])
    for (at[1] = 0; at[1] < op.extents[1]; ++at[1])
      for (at[2] = 0; at[2] < op.extents[2]; ++at[2])
        for (at[3] = 0; at[3] < op.extents[3]; ++at[3])
          for (at[4] = 0; at[4] < op.extents[4]; ++at[4]) {
            int64_t to = 0;
            for (size_t axis = 0; axis < at.size(); ++axis) to += at[axis] * op.output_steps[axis];
            sums[static_cast<size_t>(to)] += static_cast<uint32_t>(*x++);
          }
  for (size_t i = 0; i < sums.size(); ++i) {
    const auto sum = static_cast<int32_t>(sums[i] + static_cast<uint32_t>(op.bias));
    buffers.output()[i] =
        add_zero_point(multiply_by_quantized_multiplier(sum, op.multiplier, op.shift),
                       op.output_zero_point, -128, 127);
  }
}

}  // namespace tinytune::reference
