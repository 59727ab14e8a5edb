// Convolutions and dense layers. Sums wrap at 32 bits, as TFLite's do on every target. NHWC only;
// NCHW runs between two transpositions.
#include "models/reference/reference.h"

#include <algorithm>
#include <vector>

#include "models/layout.h"
#include "schedules/requantise.h"

namespace tinytune::reference {
namespace {

// The rows or columns of the filter whose taps lie inside the input, for one output position.
struct Taps {
  int first = 0, end = 0, origin = 0;
};

Taps taps_inside(int out, int stride, int pad, int dilation, int kernel, int extent) {
  const int origin = out * stride - pad;
  Taps taps{0, kernel, origin};
  while (taps.first < kernel && origin + taps.first * dilation < 0) ++taps.first;
  while (taps.end > taps.first && origin + (taps.end - 1) * dilation >= extent) --taps.end;
  return taps;
}

int8_t finish(const KernelOp& op, uint32_t sum, int channel) {
  const auto c = static_cast<size_t>(channel);
  const auto accumulator = static_cast<int32_t>(sum + static_cast<uint32_t>(op.data.bias[c]));
  return requantise_reference(op.workload, op.data, c, accumulator);
}

void dense(const KernelOp& op, const int8_t* input, int8_t* output) {
  const Workload& w = op.workload;
  for (int row = 0; row < w.batch; ++row)
    for (int c = 0; c < w.out_c; ++c) {
      const int8_t* x = input + int64_t{row} * w.in_c;
      const int8_t* weights = op.data.weights.data() + int64_t{c} * w.in_c;
      uint32_t sum = 0;
      for (int i = 0; i < w.in_c; ++i)
        sum += static_cast<uint32_t>((x[i] - w.input_zero_point) * weights[i]);
      *output++ = finish(op, sum, c);
    }
}

// Returns the sum of one output: `channels` input channels from `x` at every tap, the weights of
// taps `w_step` apart.
uint32_t window_sum(const Workload& w, const Taps& rows, const Taps& columns, const int8_t* x,
                    int channels, const int8_t* weights, int w_step) {
  uint32_t sum = 0;
  for (int kh = rows.first; kh < rows.end; ++kh)
    for (int kw = columns.first; kw < columns.end; ++kw) {
      const int64_t y = rows.origin + kh * w.dilation_h, z = columns.origin + kw * w.dilation_w;
      const int8_t* pixel = x + (y * w.in_w + z) * w.in_c;
      const int8_t* tap = weights + (int64_t{kh} * w.kernel_w + kw) * w_step;
      for (int i = 0; i < channels; ++i)
        sum += static_cast<uint32_t>((pixel[i] - w.input_zero_point) * tap[i]);
    }
  return sum;
}

void convolution(const KernelOp& op, const int8_t* input, int8_t* output) {
  const Workload& w = op.workload;
  const bool depthwise = w.op == OpKind::kDepthwiseConv2d;
  const int group_in = w.in_c / w.groups, group_out = w.out_c / w.groups;
  const int64_t image = int64_t{w.in_h} * w.in_w * w.in_c;
  for (int n = 0; n < w.batch; ++n)
    for (int oh = 0; oh < w.out_h; ++oh) {
      const Taps rows = taps_inside(oh, w.stride_h, w.pad_top, w.dilation_h, w.kernel_h, w.in_h);
      for (int ow = 0; ow < w.out_w; ++ow) {
        const Taps columns =
            taps_inside(ow, w.stride_w, w.pad_left, w.dilation_w, w.kernel_w, w.in_w);
        for (int c = 0; c < w.out_c; ++c) {
          const int first_channel = depthwise ? c / w.depth_multiplier : c / group_out * group_in;
          const int8_t* weights =
              op.data.weights.data() + (depthwise ? c : int64_t{c} * w.reduction());
          const uint32_t sum =
              window_sum(w, rows, columns, input + n * image + first_channel,
                         depthwise ? 1 : group_in, weights, depthwise ? w.out_c : group_in);
          *output++ = finish(op, sum, c);
        }
      }
    }
}

void transpose_runs(const RunTransposition& t, int8_t* output) {
  const std::vector<int8_t> from(output, output + t.bytes());
  const int runs = t.pixels * t.rows;
  for (int64_t block = 0; block < t.blocks; ++block)
    for (int i = 0; i < runs; ++i, output += t.run_bytes)
      std::copy_n(from.begin() + (block * runs + t.source_of(i)) * t.run_bytes, t.run_bytes,
                  output);
}

}  // namespace

void run(const KernelOp& op, const Buffers& buffers) {
  const Workload& w = op.workload;
  if (w.op == OpKind::kDense) return dense(op, buffers.input(), buffers.output());
  if (w.layout == Layout::kNhwc) {
    convolution(op, buffers.input(), buffers.output());
    if (op.transposes) transpose_runs(*op.transposes, buffers.output());
    return;
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(buffers.input());
  const auto input = transposed({bytes, static_cast<size_t>(w.input_bytes())},
                                {w.batch, w.in_h, w.in_w, w.in_c}, Layout::kNchw);
  std::vector<uint8_t> output(static_cast<size_t>(w.output_bytes()));
  convolution(op, reinterpret_cast<const int8_t*>(input.data()),
              reinterpret_cast<int8_t*>(output.data()));
  const auto result = transposed(output, {w.batch, w.out_h, w.out_w, w.out_c}, Layout::kNhwc);
  std::copy(result.begin(), result.end(), buffers.output());
}

}  // namespace tinytune::reference
