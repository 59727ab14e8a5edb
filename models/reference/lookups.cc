#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/reference/reference.h"

namespace tinytune::reference {

void run(const LookupOp& op, const Buffers& buffers) {
  for (int64_t i = 0; i < op.elements; ++i)
    buffers.outputs[0][static_cast<size_t>(i)] =
        op.table[buffers.inputs[0][static_cast<size_t>(i)]];
}

void run(const QuantizeOp& op, const Buffers& buffers) {
  for (size_t i = 0; i < static_cast<size_t>(op.elements); ++i) {
    float value;
    std::memcpy(&value, buffers.inputs[0].data() + i * sizeof(value), sizeof(value));
    const float quotient = value / op.scale;
    const float steps =
        op.rounding == Rounding::kHalfToEven ? std::nearbyint(quotient) : std::round(quotient);
    // A thousand steps are beyond any byte, and keep the sum inside an int.
    const int whole = std::isnan(steps) ? 0 : static_cast<int>(std::clamp(steps, -1e3F, 1e3F));
    buffers.outputs[0][i] =
        static_cast<uint8_t>(std::clamp(whole + op.zero_point, op.low, op.high));
  }
}

void run(const DequantizeOp& op, const Buffers& buffers) {
  for (size_t i = 0; i < static_cast<size_t>(op.elements); ++i) {
    const uint8_t byte = buffers.inputs[0][i];
    const int x = op.is_unsigned ? byte : static_cast<int8_t>(byte);
    const auto value = static_cast<float>(double{op.scale} * (x - op.zero_point));
    std::memcpy(buffers.outputs[0].data() + i * sizeof(value), &value, sizeof(value));
  }
}

}  // namespace tinytune::reference
