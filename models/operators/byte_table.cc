#include "models/operators/byte_table.h"

#include <algorithm>

#include "models/quantise.h"
#include "schedules/requantise.h"

namespace tinytune {

Status require_map(const OperatorView& view) {
  return view.require_shape(view.output(), view.input(0).shape);
}

IntegerOp tabulate(const OperatorView& view, const std::function<int64_t(int)>& f) {
  LookupOp op;
  op.elements = view.output().elements();
  const Range in = limits_of(view.input(0).type), out = limits_of(view.output().type);
  for (int x = in.low; x <= in.high; ++x)
    op.table[static_cast<uint8_t>(x)] =
        static_cast<uint8_t>(std::clamp<int64_t>(f(x), out.low, out.high));
  return op;
}

Scales scales_of(const OperatorView& view) {
  const Quantization &in = view.input(0).quantization, &out = view.output().quantization;
  return {in.scales[0], out.scales[0], in.zero_points[0], out.zero_points[0]};
}

int32_t rescaled(int x, const QuantizedMultiplier& m) {
  return multiply_by_quantized_multiplier(x, m.multiplier, m.shift);
}

}  // namespace tinytune
