// QUANTIZE and DEQUANTIZE, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tinytune::reference {
namespace {

template <typename To>
void quantize(const QuantizeOp& op, const Buffers& buffers) {
  for (size_t i = 0; i < static_cast<size_t>(op.elements); ++i) {
    float value;
    std::memcpy(&value, buffers.inputs[0].data() + i * sizeof(value), sizeof(value));
    const float quotient = value / op.scale;
    const float steps =
        op.rounding == Rounding::kHalfToEven ? std::nearbyint(quotient) : std::round(quotient);
    // 1e6 steps are beyond any output and keep the sum inside an int.
    const int whole = std::isnan(steps) ? 0 : static_cast<int>(std::clamp(steps, -1e6F, 1e6F));
    const auto y = static_cast<To>(std::clamp(whole + op.zero_point, op.low, op.high));
    std::memcpy(buffers.outputs[0].data() + i * sizeof y, &y, sizeof y);
  }
}

template <typename From>
void dequantize(const DequantizeOp& op, const Buffers& buffers) {
  for (size_t i = 0; i < static_cast<size_t>(op.elements); ++i) {
    From x;
    std::memcpy(&x, buffers.inputs[0].data() + i * sizeof x, sizeof x);
    const auto value = static_cast<float>(double{op.scale} * (x - op.zero_point));
    std::memcpy(buffers.outputs[0].data() + i * sizeof(value), &value, sizeof(value));
  }
}

// Dequantises int32 sums of products, which float32 may round before it scales them.
void dequantize_sums(const DequantizeOp& op, const Buffers& buffers) {
  for (size_t i = 0; i < static_cast<size_t>(op.elements); ++i) {
    int32_t x;
    std::memcpy(&x, buffers.inputs[0].data() + i * sizeof x, sizeof x);
    const float value = static_cast<float>(x) * op.scale;
    std::memcpy(buffers.outputs[0].data() + i * sizeof(value), &value, sizeof(value));
  }
}

}  // namespace

void run(const QuantizeOp& op, const Buffers& buffers) {
  if (op.high > 255) return quantize<int16_t>(op, buffers);
  quantize<uint8_t>(op, buffers);
}

void run(const DequantizeOp& op, const Buffers& buffers) {
  if (op.from == ElementType::kInt32) return dequantize_sums(op, buffers);
  if (op.from == ElementType::kInt16) return dequantize<int16_t>(op, buffers);
  if (op.from == ElementType::kUint8) return dequantize<uint8_t>(op, buffers);
  dequantize<int8_t>(op, buffers);
}

}  // namespace tinytune::reference
