#include "codegen/passes/transposed_convolution.h"

#include "models/operators/transpose_conv/phases.h"

namespace tinytune {
namespace {

// [phase][channel][row][column][input channel].
std::vector<int8_t> weights_of(const TransposeConvOp& op, const PhaseAxis& rows,
                               const PhaseAxis& columns) {
  std::vector<int8_t> weights;
  for_each_tap(rows, columns, op.out_c, [&](int channel, std::optional<int> tap) {
    if (!tap) {
      weights.insert(weights.end(), static_cast<size_t>(op.in_c), 0);
      return;
    }
    const int64_t place = int64_t{channel} * op.kernel_h * op.kernel_w + *tap;
    const auto from = op.data.weights.begin() + place * op.in_c;
    weights.insert(weights.end(), from, from + op.in_c);
  });
  return weights;
}

}  // namespace

std::optional<RunTransposition> separated_rows(const Workload& w, int rows) {
  if (rows == 1 || w.out_w == 1) return std::nullopt;
  return RunTransposition{w.batch * w.out_h, w.out_w, rows, w.out_c / rows};
}

std::optional<KernelOp> convolution_of(const TransposeConvOp& op) {
  const PhaseAxis rows(op.kernel_h, op.stride_h, op.pad_top);
  const PhaseAxis columns(op.kernel_w, op.stride_w, op.pad_left);
  if (op.out_h % op.stride_h != 0 || op.out_w % op.stride_w != 0 || !has_few_zeros(rows, columns))
    return std::nullopt;
  const int phases = op.stride_h * op.stride_w;
  KernelOp kernel;
  Workload& w = kernel.workload;
  w.batch = op.batch;
  w.in_h = op.in_h, w.in_w = op.in_w, w.in_c = op.in_c;
  w.out_h = op.out_h / op.stride_h, w.out_w = op.out_w / op.stride_w, w.out_c = phases * op.out_c;
  w.kernel_h = rows.taps(), w.kernel_w = columns.taps();
  w.pad_top = -rows.first, w.pad_left = -columns.first;
  w.input_zero_point = op.input_zero_point, w.output_zero_point = op.output_zero_point;
  w.activation_min = op.activation_min, w.activation_max = op.activation_max;
  if (!validate(w)) return std::nullopt;
  kernel.data.weights = weights_of(op, rows, columns);
  kernel.data.bias = for_all_phases(op.data.bias, phases);
  kernel.data.multiplier = for_all_phases(op.data.multiplier, phases);
  kernel.data.shift = for_all_phases(op.data.shift, phases);
  kernel.transposes = separated_rows(w, op.stride_h);
  return kernel;
}

}  // namespace tinytune
