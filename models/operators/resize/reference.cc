// RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <cstring>

namespace tinytune::reference {

void run(const ResizeOp& op, const Buffers& buffers) {
  int8_t* output = buffers.output();
  for (int n = 0; n < op.batch; ++n)
    for (int row : op.rows)
      for (int column : op.columns) {
        const int64_t pixel = (int64_t{n} * op.in_h + row) * op.in_w + column;
        std::memcpy(output, buffers.input() + pixel * op.channels,
                    static_cast<size_t>(op.channels));
        output += op.channels;
      }
}

void run(const BilinearOp& op, const Buffers& buffers) {
  int8_t* output = buffers.output();
  for (int n = 0; n < op.batch; ++n)
    for (const BilinearOp::Tap& y : op.rows)
      for (const BilinearOp::Tap& x : op.columns)
        for (int c = 0; c < op.channels; ++c) {
          const auto at = [&](int row, int column) {
            const int64_t pixel = (int64_t{n} * op.in_h + row) * op.in_w + column;
            return int32_t{buffers.input()[pixel * op.channels + c]};
          };
          const int32_t sum = at(y.first, x.first) * (1024 - y.weight) * (1024 - x.weight) +
                              at(y.second, x.first) * y.weight * (1024 - x.weight) +
                              at(y.first, x.second) * (1024 - y.weight) * x.weight +
                              at(y.second, x.second) * y.weight * x.weight;
          const int32_t half = op.towards == BilinearOp::Towards::kNearest ? 1 << 19 : 0;
          *output++ = static_cast<int8_t>(op.towards == BilinearOp::Towards::kDown
                                              ? sum >> 20
                                              : (sum + (sum > 0 ? half : -half)) / (1 << 20));
        }
}

}  // namespace tinytune::reference
