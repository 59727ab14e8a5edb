// Integer forms of ONNX's operators between DequantizeLinear and QuantizeLinear: scales in float32,
// halves to even, clamped (ADR 76). The device still computes with integers only.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/byte_steps.h"
#include "models/operators/onnx_scale.h"
#include "models/operators/plain/operands.h"
#include "models/quantise.h"
#include "schedules/requantise.h"

namespace tinytune {
namespace {

// Returns a float32 scale as a multiplier and a shift, which hold all of its 24 bits.
Result<QuantizedMultiplier> exact_multiplier(const OperatorView& view, float scale) {
  if (!(scale > 0) || !(scale < static_cast<float>(kLargestMultiplier)))
    return view.unsupported(fmt::format("a scale of {}", scale));
  return quantize_multiplier(double{scale});
}

Result<IntegerOp> kernel_form(const OperatorView& view, Result<IntegerOp> prepared,
                              Activation activation) {
  TT_TRY_ASSIGN(IntegerOp form, std::move(prepared));
  auto& kernel = std::get<KernelOp>(form);
  if (view.inputs() > kPlainScaling) {
    TT_TRY(scale_plainly(view, kernel));
    return form;
  }
  const float in = view.input(0).quantization.scales[0];
  const float out = view.output().quantization.scales[0];
  const std::vector<float>& weights = view.input(1).quantization.scales;
  for (size_t c = 0; c < kernel.data.multiplier.size(); ++c) {
    const float scale = in * weights[weights.size() > 1 ? c : 0] / out;
    TT_TRY_ASSIGN(const QuantizedMultiplier m, exact_multiplier(view, scale));
    kernel.data.multiplier[c] = m.multiplier;
    kernel.data.shift[c] = m.shift;
  }
  const Range range = onnx_clamp(view, activation);
  if (range.low > range.high) return view.unsupported("its activation leaves no value");
  kernel.workload.activation_min = range.low;
  kernel.workload.activation_max = range.high;
  kernel.workload.rounding = Rounding::kHalfToEven;
  return form;
}

// The sum or average of whole axes: (sum less zero points) * scale, an average's scale divided by
// the count.
Result<IntegerOp> total_form(const OperatorView& view, bool divided) {
  TT_TRY_ASSIGN(IntegerOp form, divided ? prepare_mean(view) : prepare_sum(view));
  auto& mean = std::get<MeanOp>(form);
  const int64_t count = view.input(0).elements() / view.output().elements();
  if (count * 255 >= 1 << 24) return view.unsupported("a sum that float32 cannot hold");
  const FloatScale in(view.input(0)), out(view.output());
  const float scale = in.scale / (out.scale * static_cast<float>(divided ? count : 1));
  TT_TRY_ASSIGN(const QuantizedMultiplier m, exact_multiplier(view, scale));
  mean.bias = static_cast<int32_t>(-in.zero * count);
  mean.multiplier = m.multiplier;
  mean.shift = m.shift;
  mean.output_zero_point = out.zero;
  mean.rounding = Rounding::kHalfToEven;
  return form;
}

// A product of computed matrices: the sum times float(float(sa * sb) / sy).
Result<IntegerOp> matmul_form(const OperatorView& view) {
  if (view.output().type == ElementType::kInt32) return prepare_matmul_sums(view);
  TT_TRY_ASSIGN(IntegerOp form, prepare_batch_matmul(view));
  auto* product = std::get_if<MatMulOp>(&form);
  if (product == nullptr) return kernel_form(view, std::move(form), Activation::kNone);
  const FloatScale first(view.input(0)), second(view.input(1)), out(view.output());
  const float scale = first.scale * second.scale / out.scale;
  product->steps = find_byte_steps(INT32_MIN, INT32_MAX, [&](int32_t sum) {
    return FloatScale::whole(static_cast<float>(sum) * scale) + out.zero;
  });
  return form;
}

Result<IntegerOp> softmax_form(const OperatorView& view) {
  const Tensor& input = view.input(0);
  TT_TRY(view.require_int8(input));
  TT_TRY(view.require_int8(view.output()));
  if (input.shape.empty()) return view.invalid(describe(input) + " is a scalar");
  TT_TRY(view.require_shape(view.output(), input.shape));
  const FloatScale in(input), out(view.output());
  SteppedSoftmaxOp op;
  op.depth = input.shape.back();
  op.rows = static_cast<int>(input.elements() / op.depth);
  if (op.depth >= 4096) return view.unsupported("more than 4095 classes");
  const int bits = 31 - std::bit_width(static_cast<unsigned>(op.depth));
  for (int d = 0; d < 256; ++d)
    op.exp.push_back(
        static_cast<uint32_t>(std::llround(std::ldexp(std::exp(-double{in.scale} * d), bits))));
  for (int level = -127; level <= 127; ++level) {
    const int k = level - out.zero;
    const double reached = (k - 0.5) * double{out.scale};  // of p
    if (reached <= 0) op.first = level;
    if (reached <= 0 || reached >= 1) continue;
    if (op.steps.empty()) op.first_is_odd = k % 2 != 0;
    op.steps.push_back(static_cast<uint32_t>(std::llround(std::ldexp(reached, 32))));
  }
  return IntegerOp(std::move(op));
}

// Casts ONNX's places to int64, which no operator of TFLite here gives.
Result<IntegerOp> cast_form(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  if (output.type != ElementType::kInt64 || input.type != ElementType::kInt32)
    return prepare_cast(view);
  TT_TRY(view.require_shape(output, input.shape));
  return IntegerOp(CastOp{output.elements(), input.type, output.type});
}

// Converts int32 sums of products to float32, for a last layer whose result is not quantised.
Result<IntegerOp> real_sums_form(const OperatorView& view) {
  constexpr float kLeast = 0x1p-60F, kMost = 0x1p60F;  // no sum leaves float32's exponents
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_shape(output, input.shape));
  const float scale = input.quantization.scales.at(0);
  if (!(scale > kLeast) || !(scale < kMost))
    return view.unsupported(fmt::format("a scale of {}", scale));
  return IntegerOp(DequantizeOp{output.elements(), scale, 0, input.type});
}

// onnxruntime interpolates bytes in float32 and truncates. Import ensures that weights are whole
// multiples of 2^-10, so that the products are exact.
Result<IntegerOp> resize_form(const OperatorView& view) {
  TT_TRY_ASSIGN(IntegerOp form, prepare_resize_bilinear(view));
  const bool is_unsigned = std::get<ResizeAttributes>(view.op().attributes).offset != 0;
  std::get<BilinearOp>(form).towards =
      is_unsigned ? BilinearOp::Towards::kDown : BilinearOp::Towards::kZero;
  return form;
}

// Returns the look-up of one byte in a table that import filled.
Result<IntegerOp> table_form(const OperatorView& view, const TableAttributes& attributes) {
  TT_TRY(view.require_shape(view.output(), view.input(0).shape));
  LookupOp op;
  op.elements = view.output().elements();
  op.table = attributes.table;
  return IntegerOp(op);
}

// Returns the look-up that converts bytes to another scale or type.
Result<IntegerOp> rescale_form(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_quantised(input));
  TT_TRY(view.require_quantised(output));
  TableAttributes attributes;
  const FloatScale in(input), out(output);
  const Range from = limits_of(input.type), to = limits_of(output.type);
  for (int x = from.low; x <= from.high; ++x)
    attributes.table[static_cast<uint8_t>(x)] =
        static_cast<uint8_t>(std::clamp(out.quantised(in.real(x)), to.low, to.high));
  return table_form(view, attributes);
}

Result<IntegerOp> quantise_form(const OperatorView& view) {
  if (view.input(0).type != ElementType::kFloat32) return rescale_form(view);
  TT_TRY_ASSIGN(IntegerOp form, prepare_quantize(view));
  std::get<QuantizeOp>(form).rounding = Rounding::kHalfToEven;
  return form;
}

}  // namespace

Range onnx_clamp(const OperatorView& view, Activation activation) {
  const FloatScale out(view.output());
  Range range{-128, 127};
  if (activation == Activation::kRelu || activation == Activation::kRelu6)
    range.low = std::clamp(out.zero, -128, 127);
  if (activation == Activation::kRelu6) range.high = std::clamp(out.quantised(6), -128, 127);
  if (activation == Activation::kReluN1To1)
    range = {std::clamp(out.quantised(-1), -128, 127), std::clamp(out.quantised(1), -128, 127)};
  return range;
}

Result<std::optional<IntegerOp>> onnx_form(const OperatorView& view) {
  const auto made = [](Result<IntegerOp> form) -> Result<std::optional<IntegerOp>> {
    if (!form) return form.error();
    return std::optional<IntegerOp>(std::move(form).value());
  };
  const auto convolution_clamp = [&] {
    return std::get<ConvAttributes>(view.op().attributes).activation;
  };
  if (const auto* table = std::get_if<TableAttributes>(&view.op().attributes))
    return made(table_form(view, *table));
  switch (view.op().kind) {
    case OperatorKind::kConv2d:
      return made(kernel_form(view, prepare_conv2d(view), convolution_clamp()));
    case OperatorKind::kDepthwiseConv2d:
      return made(kernel_form(view, prepare_depthwise(view), convolution_clamp()));
    case OperatorKind::kFullyConnected:
      return made(kernel_form(view, prepare_fully_connected(view),
                              std::get<ActivationAttributes>(view.op().attributes).activation));
    case OperatorKind::kMean:
      return made(total_form(view, true));
    case OperatorKind::kSum:
      return made(total_form(view, false));
    case OperatorKind::kCast:
      return made(cast_form(view));
    case OperatorKind::kDequantize:
      if (view.input(0).type != ElementType::kInt32) return std::optional<IntegerOp>();
      return made(real_sums_form(view));
    case OperatorKind::kAdd:
    case OperatorKind::kSub:
      if (view.input(0).type == ElementType::kInt32) return std::optional<IntegerOp>();
      return made(onnx_add_form(view, view.op().kind == OperatorKind::kSub));
    case OperatorKind::kMul:
      return made(onnx_mul_form(view));
    case OperatorKind::kAveragePool2d:
      return made(onnx_pool_form(view));
    case OperatorKind::kResizeBilinear:
      return made(resize_form(view));
    case OperatorKind::kBatchMatMul:
      return made(matmul_form(view));
    case OperatorKind::kSoftmax:
      return made(softmax_form(view));
    case OperatorKind::kQuantize:
      return made(quantise_form(view));
    default:
      return std::optional<IntegerOp>();
  }
}

}  // namespace tinytune
