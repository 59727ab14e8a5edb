// L2_NORMALIZATION and LOG_SOFTMAX over the innermost axis. Their output scales are fixed.
#include "models/operators/normalization/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/operators/operator_view.h"
#include "models/quantise.h"
#include "schedules/requantise.h"

namespace tinytune {
namespace {

struct Rows {
  int rows = 1, depth = 1;
};

Result<Rows> read_rows(const OperatorView& view, float scale, int zero_point) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_int8(input));
  TT_TRY(view.require_int8(output));
  if (input.shape.empty()) return view.invalid(describe(input) + " is a scalar");
  TT_TRY(view.require_shape(output, input.shape));
  const Quantization& q = output.quantization;
  if (q.scales[0] != scale || q.zero_points[0] != zero_point)
    return view.unsupported(
        fmt::format("{} is not quantised as {}, {}", describe(output), scale, zero_point));
  const int depth = input.shape.back();
  return Rows{static_cast<int>(input.elements() / depth), depth};
}

}  // namespace

Result<IntegerOp> prepare_l2_normalization(const OperatorView& view) {
  TT_TRY_ASSIGN(const Rows rows, read_rows(view, 1.0F / 128, 0));
  // The sum of 2^15 squares of numbers below 2^8 fits int32.
  if (rows.depth > 1 << 15) return view.unsupported("a depth of more than 2^15");
  return IntegerOp(
      L2NormalizationOp{rows.rows, rows.depth, -view.input(0).quantization.zero_points[0]});
}

Result<IntegerOp> prepare_log_softmax(const OperatorView& view) {
  TT_TRY_ASSIGN(const Rows rows, read_rows(view, 1.0F / 16, 127));
  // The sum of exponentials has 12 integer bits.
  if (rows.depth >= 4096) return view.unsupported("more than 4095 classes");
  const double scale = view.input(0).quantization.scales[0];
  const double real = std::min(scale * (1 << 26), 2147483647.0);
  if (!(real > 1)) return view.unsupported(fmt::format("a scale of {}", scale));
  const QuantizedMultiplier m = quantize_multiplier(real);
  const double back = (1 << (31 - m.shift)) / static_cast<double>(m.multiplier);
  const QuantizedMultiplier reverse = quantize_multiplier(back);
  if (!(back < 1) || reverse.shift > 0)
    return view.unsupported(fmt::format("a scale of {}", scale));
  LogSoftmaxOp op;
  op.rows = rows.rows;
  op.depth = rows.depth;
  for (int d = 0; d <= 255; ++d)
    op.differences.push_back(multiply_by_quantized_multiplier(-d, m.multiplier, m.shift));
  op.diff_min = -static_cast<int>(std::floor(31.0 * (1 << 26) / std::ldexp(1.0, m.shift)));
  op.reverse_multiplier = reverse.multiplier;
  op.reverse_shift = reverse.shift;
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
