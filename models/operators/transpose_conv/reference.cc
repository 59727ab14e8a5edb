// TRANSPOSE_CONV, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>
#include <vector>

#include "models/reference/fixed_point.h"
#include "schedules/requantise.h"

namespace tinytune::reference {
namespace {

// Returns the sum of the products that reach each output element; sums wrap.
template <typename Sum, typename T>
std::vector<Sum> scattered(const TransposeConvOp& op, const T* x) {
  std::vector<Sum> sums(static_cast<size_t>(int64_t{op.batch} * op.out_h * op.out_w * op.out_c), 0);
  for (int n = 0; n < op.batch; ++n)
    for (int ih = 0; ih < op.in_h; ++ih)
      for (int iw = 0; iw < op.in_w; ++iw, x += op.in_c)
        for (int kh = 0; kh < op.kernel_h; ++kh)
          for (int kw = 0; kw < op.kernel_w; ++kw) {
            const int64_t oh = int64_t{ih} * op.stride_h - op.pad_top + kh;
            const int64_t ow = int64_t{iw} * op.stride_w - op.pad_left + kw;
            if (oh < 0 || oh >= op.out_h || ow < 0 || ow >= op.out_w) continue;
            for (int c = 0; c < op.out_c; ++c) {
              const int8_t* weights =
                  op.data.weights.data() +
                  ((int64_t{c} * op.kernel_h + kh) * op.kernel_w + kw) * op.in_c;
              Sum& sum = sums[static_cast<size_t>(
                  ((int64_t{n} * op.out_h + oh) * op.out_w + ow) * op.out_c + c)];
              for (int i = 0; i < op.in_c; ++i)
                sum += static_cast<Sum>((x[i] - op.input_zero_point) * weights[i]);
            }
          }
  return sums;
}

}  // namespace

void run(const TransposeConvOp& op, const Buffers& buffers) {
  const auto sums = scattered<uint32_t>(op, buffers.input(op.data_input));
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t c = i % static_cast<size_t>(op.out_c);
    const auto accumulator = static_cast<int32_t>(sums[i] + static_cast<uint32_t>(op.data.bias[c]));
    buffers.output()[i] = add_zero_point(
        multiply_by_quantized_multiplier(accumulator, op.data.multiplier[c], op.data.shift[c]),
        op.output_zero_point, op.activation_min, op.activation_max);
  }
}

void run(const WideTransposeConvOp& op, const Buffers& buffers) {
  const auto sums = scattered<int64_t>(op.shape, buffers.wide_input(op.shape.data_input));
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t c = i % static_cast<size_t>(op.shape.out_c);
    const int32_t scaled = fixed_point::scale_long(
        sums[i] + op.bias[c], op.shape.data.multiplier[c], op.shape.data.shift[c]);
    buffers.wide_output()[i] =
        static_cast<int16_t>(std::clamp(scaled, op.shape.activation_min, op.shape.activation_max));
  }
}

}  // namespace tinytune::reference
