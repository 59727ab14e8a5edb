// QUANTIZE from float32 and between bytes, and DEQUANTIZE.
#include "models/operators/quantize/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "models/operators/byte_table.h"
#include "models/operators/operator_view.h"
#include "models/operators/quantize/form_rescale.h"
#include "models/quantise.h"
#include "schedules/requantise.h"

namespace tinytune {
// Between int8 and uint8, and from float32; prepare_rescale() has the rest.
Result<IntegerOp> prepare_quantize(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  const auto is_wide = [](const Tensor& t) {
    return t.type == ElementType::kInt16 || t.type == ElementType::kInt32;
  };
  if (input.type != ElementType::kFloat32 && (is_wide(input) || is_wide(output)))
    return prepare_rescale(view);
  const auto bytes = [](const Tensor& t) {
    return t.type == ElementType::kInt8 || t.type == ElementType::kUint8;
  };
  const bool wide = output.type == ElementType::kInt16;
  if (!bytes(output) && !wide)
    return view.unsupported(fmt::format("{} is {}", describe(output), name_of(output.type)));
  TT_TRY(wide ? view.require_int16(output) : view.require_quantised(output));
  TT_TRY(require_map(view));
  if (input.type == ElementType::kFloat32) {
    const Range range = limits_of(output.type);
    return IntegerOp(QuantizeOp{output.elements(), output.quantization.scales[0],
                                output.quantization.zero_points[0], range.low, range.high});
  }
  if (!bytes(input))
    return view.unsupported(fmt::format("{} is {}", describe(input), name_of(input.type)));
  TT_TRY(view.require_quantised(input));
  const Scales s = scales_of(view);
  const double real = double{s.in} / double{s.out};
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  return tabulate(view, [&](int x) { return int64_t{s.out_zero} + rescaled(x - s.in_zero, m); });
}

Result<IntegerOp> prepare_dequantize(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(require_map(view));
  if (output.type != ElementType::kFloat32 ||
      (input.type != ElementType::kInt8 && input.type != ElementType::kUint8 &&
       input.type != ElementType::kInt16))
    return view.unsupported(fmt::format("{} is {} and {} is {}", describe(input),
                                        name_of(input.type), describe(output),
                                        name_of(output.type)));
  TT_TRY(view.require_quantised(input));
  return IntegerOp(DequantizeOp{output.elements(), input.quantization.scales[0],
                                input.quantization.zero_points[0], input.type});
}

}  // namespace tinytune
