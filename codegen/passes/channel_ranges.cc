#include "codegen/passes/channel_ranges.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "schedules/requantise.h"

namespace tinytune {
namespace {

using Ranges = std::vector<ValueRange>;

bool fits_int32(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

// A sum's interval, grown term by term. In 64 bits, so that leaving int32 is detected.
struct Sum {
  int64_t low = 0, high = 0;
  void add(const ValueRange& x, int zero_point, int weight) {
    const int64_t a = int64_t{x.low - zero_point} * weight;
    const int64_t b = int64_t{x.high - zero_point} * weight;
    low += std::min(a, b);
    high += std::max(a, b);
  }
};

// The taps of one axis that lie inside the input.
struct Taps {
  int first = 0, end = 0;
  bool operator==(const Taps&) const = default;
};

// Returns every such run of taps that some output position has. Near a border all windows lose the
// same rows or columns at once, so bounds by run are far tighter than bounds that may lose any tap.
std::vector<Taps> tap_runs(int out, int stride, int pad, int dilation, int kernel, int extent) {
  std::vector<Taps> runs;
  for (int o = 0; o < out; ++o) {
    const int origin = o * stride - pad;
    Taps taps{0, kernel};
    while (taps.first < kernel && origin + taps.first * dilation < 0) ++taps.first;
    while (taps.end > taps.first && origin + (taps.end - 1) * dilation >= extent) --taps.end;
    if (std::find(runs.begin(), runs.end(), taps) == runs.end()) runs.push_back(taps);
  }
  return runs;
}

// Returns the full range if the reference's left shift may wrap: it is then not monotone.
ValueRange requantised(const KernelOp& op, const Sum& sum, int channel) {
  const Workload& w = op.workload;
  const auto c = static_cast<size_t>(channel);
  const ValueRange any{w.activation_min, w.activation_max};
  const int64_t low = sum.low + op.data.bias[c], high = sum.high + op.data.bias[c];
  const int64_t scale = int64_t{1} << std::max(0, op.data.shift[c]);
  if (!fits_int32(low) || !fits_int32(high) || scale > (int64_t{1} << 31) ||
      !fits_int32(low * scale) || !fits_int32(high * scale))
    return any;
  const auto result = [&](int64_t accumulator) {
    return requantise_reference(w, op.data, c, static_cast<int32_t>(accumulator));
  };
  return {result(low), result(high)};
}

// Returns the interval of the window that has these taps.
Sum window_sum(const std::vector<Sum>& taps, int kernel_w, const Taps& rows, const Taps& columns) {
  Sum sum;
  for (int y = rows.first; y < rows.end; ++y)
    for (int x = columns.first; x < columns.end; ++x) {
      const Sum& tap = taps[static_cast<size_t>(y * kernel_w + x)];
      sum.low += tap.low;
      sum.high += tap.high;
    }
  return sum;
}

ValueRange union_of(const Ranges& ranges) {
  ValueRange all = ranges[0];
  for (const ValueRange& r : ranges) all = {std::min(all.low, r.low), std::max(all.high, r.high)};
  return all;
}

Ranges of_kernel(const KernelOp& op, Ranges input) {
  const Workload& w = op.workload;
  // A dense layer's rows need not begin with a pixel: then any channel may be anywhere.
  if (w.in_c % static_cast<int>(input.size()) != 0) input = {union_of(input)};
  const bool depthwise = w.op == OpKind::kDepthwiseConv2d;
  const int in_channels = static_cast<int>(input.size());
  const int group_in = w.in_c / w.groups, group_out = w.out_c / w.groups;
  const auto rows = tap_runs(w.out_h, w.stride_h, w.pad_top, w.dilation_h, w.kernel_h, w.in_h);
  const auto columns = tap_runs(w.out_w, w.stride_w, w.pad_left, w.dilation_w, w.kernel_w, w.in_w);
  const int terms = depthwise ? 1 : group_in;
  Ranges result;
  for (int c = 0; c < w.out_c; ++c) {
    const int first = depthwise ? c / w.depth_multiplier : c / group_out * group_in;
    const int8_t* weights = op.data.weights.data() + (depthwise ? c : c * w.reduction());
    const int64_t step = depthwise ? w.out_c : group_in;
    std::vector<Sum> taps(static_cast<size_t>(w.kernel_h) * static_cast<size_t>(w.kernel_w));
    for (size_t tap = 0; tap < taps.size(); ++tap)
      for (int i = 0; i < terms; ++i)  // a dense row may be several pixels' channels
        taps[tap].add(input[static_cast<size_t>((first + i) % in_channels)], w.input_zero_point,
                      weights[static_cast<int64_t>(tap) * step + i]);
    ValueRange all{127, -128};
    for (const Taps& y : rows)
      for (const Taps& x : columns) {
        const ValueRange range = requantised(op, window_sum(taps, w.kernel_w, y, x), c);
        all = {std::min(all.low, range.low), std::max(all.high, range.high)};
      }
    result.push_back(all);
  }
  return result;
}

// Means and maxima of values from a range stay inside it.
Ranges of_pool(const PoolOp& op, Ranges input) {
  for (ValueRange& r : input)
    r = {std::clamp(r.low, op.activation_min, op.activation_max),
         std::clamp(r.high, op.activation_min, op.activation_max)};
  return input;
}

Ranges of_lookup(const LookupOp& op, Ranges input) {
  for (ValueRange& r : input) {
    ValueRange image{127, -128};
    for (int x = r.low; x <= r.high; ++x) {
      const auto y = static_cast<int8_t>(op.table[static_cast<uint8_t>(x)]);
      image = {std::min<int>(image.low, y), std::max<int>(image.high, y)};
    }
    r = image;
  }
  return input;
}

// The same bytes in rows of another length. If that is a multiple of the input's length, channel o
// is the input's channel o mod that length; otherwise any channel may be anywhere.
Ranges of_copy(const Ranges& input, int channels) {
  Ranges result(static_cast<size_t>(channels));
  if (result.size() % input.size() == 0) {
    for (size_t o = 0; o < result.size(); ++o) result[o] = input[o % input.size()];
    return result;
  }
  std::fill(result.begin(), result.end(), union_of(input));
  return result;
}

}  // namespace

int channels_of(const Tensor& tensor) { return tensor.shape.empty() ? 1 : tensor.shape.back(); }

bool reads_padding(const Workload& w) {
  if (w.op == OpKind::kDense) return false;
  const int rows = (w.kernel_h - 1) * w.dilation_h, columns = (w.kernel_w - 1) * w.dilation_w;
  return w.pad_top > 0 || w.pad_left > 0 ||
         (w.out_h - 1) * w.stride_h + rows - w.pad_top >= w.in_h ||
         (w.out_w - 1) * w.stride_w + columns - w.pad_left >= w.in_w;
}

std::vector<std::vector<ValueRange>> channel_ranges(const IntegerNetwork& network) {
  const Graph& graph = network.graph;
  std::vector<Ranges> all(graph.tensors.size());
  for (const Tensor& t : graph.tensors)
    if (!t.is_constant && t.type == ElementType::kInt8)
      all[static_cast<size_t>(t.id)].resize(static_cast<size_t>(channels_of(t)));
  for (size_t step = 0; step < network.ops.size(); ++step) {
    const Operator& op = graph.operators[step];
    if (op.outputs.empty()) continue;
    const Ranges input =
        op.inputs.empty() || op.inputs[0] < 0 ? Ranges() : all[static_cast<size_t>(op.inputs[0])];
    Ranges& output = all[static_cast<size_t>(op.outputs[0])];
    if (input.empty() || output.empty()) continue;
    const IntegerOp& form = network.ops[step];
    if (const auto* kernel = std::get_if<KernelOp>(&form)) output = of_kernel(*kernel, input);
    if (const auto* pool = std::get_if<PoolOp>(&form)) output = of_pool(*pool, input);
    if (const auto* lookup = std::get_if<LookupOp>(&form)) output = of_lookup(*lookup, input);
    if (std::holds_alternative<CopyOp>(form))
      output = of_copy(input, static_cast<int>(output.size()));
  }
  return all;
}

}  // namespace tinytune
