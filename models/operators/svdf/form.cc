// SVDF, int8 with a state and time weights of int16 or int8.
#include "models/operators/svdf/form.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "models/operators/operator_view.h"
#include "models/quantise.h"

namespace tinytune {
namespace {

std::vector<int16_t> widened(const Tensor& tensor) {
  std::vector<int16_t> values(static_cast<size_t>(tensor.elements()));
  for (size_t i = 0; i < values.size(); ++i)
    if (tensor.type == ElementType::kInt8)
      values[i] = static_cast<int8_t>(tensor.data[i]);
    else
      std::memcpy(&values[i], tensor.data.data() + i * sizeof(int16_t), sizeof(int16_t));
  return values;
}

// Checks for constant weights of one scale. Zero points are ignored, as in TFLite Micro.
Status check_weights(const OperatorView& view, const Tensor& weights) {
  TT_TRY(view.require_constant(weights));
  TT_TRY(view.require_quantised(weights));
  return view.require_rank(weights, 2);
}

// Checks the bias's scale as TFLite Micro does: the product in float32, the difference absolute.
Status check_bias_scale(const OperatorView& view, const Tensor& state, const Tensor& time) {
  constexpr double kTolerance = 1e-5;
  const auto& given = view.input(3).quantization.scales;
  const double bias = given.empty() ? 0 : double{given[0]};
  const double product = double{state.quantization.scales[0] * time.quantization.scales[0]};
  if (std::abs(bias - product) < kTolerance) return ok_status();
  return view.unsupported(
      fmt::format("bias {} has scale {}, state and time weights give {}: TFLite Micro "
                  "refuses it; write the bias with that scale",
                  describe(view.input(3)), static_cast<float>(bias), static_cast<float>(product)));
}

}  // namespace

Result<IntegerOp> prepare_svdf(const OperatorView& view) {
  const Tensor &input = view.input(0), &feature = view.input(1), &time = view.input(2),
               &state = view.input(4), &output = view.output();
  TT_TRY(view.require_int8(input));
  TT_TRY(view.require_int8(output));
  TT_TRY(view.require_rank(input, 2));
  TT_TRY(check_weights(view, feature));
  TT_TRY(check_weights(view, time));
  TT_TRY(view.require_quantised(state));
  if (!state.is_variable) return view.unsupported(describe(state) + " is not a variable");
  TT_TRY(view.require_computed(input));
  if (feature.type != ElementType::kInt8 || time.type != state.type ||
      (state.type != ElementType::kInt16 && state.type != ElementType::kInt8))
    return view.unsupported(fmt::format("weights of {} and {} with a state of {}",
                                        name_of(feature.type), name_of(time.type),
                                        name_of(state.type)));
  if (state.type == ElementType::kInt16 && state.quantization.zero_points[0] != 0)
    return view.unsupported(describe(state) + " is int16 with a zero point");
  SvdfOp op;
  op.rank = std::get<SvdfAttributes>(view.op().attributes).rank;
  op.batch = input.shape[0];
  op.inputs = input.shape[1];
  op.filters = feature.shape[0];
  op.memory = time.shape[1];
  if (op.rank < 1 || op.filters % op.rank != 0)
    return view.invalid(fmt::format("{} filters of rank {}", op.filters, op.rank));
  TT_TRY(view.require_shape(feature, {op.filters, op.inputs}));
  TT_TRY(view.require_shape(time, {op.filters, op.memory}));
  TT_TRY(view.require_shape(state, {op.batch, op.memory * op.filters}));
  TT_TRY(view.require_shape(output, {op.batch, op.units()}));
  if (!view.has_input(3)) return view.unsupported("no bias, which TFLite Micro needs");
  TT_TRY_ASSIGN(op.bias, int32_constant(view, view.input(3)));
  if (static_cast<int>(op.bias.size()) != op.units())
    return view.invalid(fmt::format("bias {} for {} units", describe(view.input(3)), op.units()));
  TT_TRY(check_bias_scale(view, state, time));
  op.wide = state.type == ElementType::kInt16;
  op.input_offset = -input.quantization.zero_points[0];
  op.state_zero_point = state.quantization.zero_points[0];
  op.output_offset = output.quantization.zero_points[0];
  // Products and quotients in float32.
  const float state_scale = state.quantization.scales[0];
  const float feature_real =
      input.quantization.scales[0] * feature.quantization.scales[0] / state_scale;
  const float time_real = state_scale * time.quantization.scales[0] / output.quantization.scales[0];
  if (!(feature_real < kLargestMultiplier) || !(time_real < kLargestMultiplier))
    return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m1 = quantize_multiplier(double{feature_real});
  const QuantizedMultiplier m2 = quantize_multiplier(double{time_real});
  op.feature_multiplier = m1.multiplier;
  op.feature_shift = m1.shift;
  op.time_multiplier = m2.multiplier;
  op.time_shift = m2.shift;
  op.feature_weights.assign(feature.data.begin(), feature.data.end());
  op.time_weights = widened(time);
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
