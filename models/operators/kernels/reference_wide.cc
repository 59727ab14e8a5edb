// Convolutions and dense layers of int16 activations.
#include <algorithm>

#include "models/reference/fixed_point.h"
#include "models/reference/reference.h"
#include "schedules/requantise.h"

namespace tinytune::reference {
namespace {

// Returns one output's sum of products; skips taps on padding.
int64_t window_sum(const WideKernelOp& op, const int16_t* image, int oh, int ow, int channel) {
  const Workload& w = op.shape;
  const bool depthwise = w.op == OpKind::kDepthwiseConv2d;
  const int fan_in = depthwise ? 1 : w.in_c / w.groups;
  const int first =
      depthwise ? channel / w.depth_multiplier : channel / (w.out_c / w.groups) * fan_in;
  int64_t sum = 0;
  for (int kh = 0; kh < w.kernel_h; ++kh)
    for (int kw = 0; kw < w.kernel_w; ++kw) {
      const int64_t y = int64_t{oh} * w.stride_h - w.pad_top + kh * w.dilation_h;
      const int64_t x = int64_t{ow} * w.stride_w - w.pad_left + kw * w.dilation_w;
      if (y < 0 || y >= w.in_h || x < 0 || x >= w.in_w) continue;
      const int64_t tap = int64_t{kh} * w.kernel_w + kw;
      const int8_t* weights =
          op.weights.data() + (depthwise
                                   ? tap * w.out_c + channel
                                   : (int64_t{channel} * w.kernel_h * w.kernel_w + tap) * fan_in);
      const int16_t* from = image + (y * w.in_w + x) * w.in_c + first;
      for (int i = 0; i < fan_in; ++i) sum += from[i] * weights[i];
    }
  return sum;
}

int32_t scaled(const WideKernelOp& op, int64_t sum, size_t channel) {
  const int64_t total = sum + op.bias[channel];
  if (op.long_sums)
    return fixed_point::scale_long(total, op.multiplier[channel], op.shift[channel]);
  return multiply_by_quantized_multiplier(static_cast<int32_t>(total), op.multiplier[channel],
                                          op.shift[channel]);
}

}  // namespace

void run(const WideKernelOp& op, const Buffers& buffers) {
  const Workload& w = op.shape;
  int16_t* output = buffers.wide_output();
  for (int n = 0; n < w.batch; ++n) {
    const int16_t* image = buffers.wide_input() + int64_t{n} * w.in_h * w.in_w * w.in_c;
    for (int oh = 0; oh < w.out_h; ++oh)
      for (int ow = 0; ow < w.out_w; ++ow)
        for (int c = 0; c < w.out_c; ++c)
          *output++ = static_cast<int16_t>(
              std::clamp(scaled(op, window_sum(op, image, oh, ow, c), static_cast<size_t>(c)),
                         w.activation_min, w.activation_max));
  }
}

}  // namespace tinytune::reference
