// QUANTIZE between integers, and the rectifiers of int16, by TensorFlow Lite Micro's steps.
#include <algorithm>
#include <cstring>

#include "models/reference/gate_functions.h"
#include "models/reference/reference.h"
#include "schedules/requantise.h"

namespace tinytune::reference {
namespace {

int32_t read_integer(ElementType type, const uint8_t* at) {
  int8_t byte;
  int16_t half;
  int32_t word;
  switch (type) {
    case ElementType::kInt8:
      std::memcpy(&byte, at, sizeof byte);
      return byte;
    case ElementType::kInt16:
      std::memcpy(&half, at, sizeof half);
      return half;
    default:
      std::memcpy(&word, at, sizeof word);
      return word;
  }
}

}  // namespace

void run(const RescaleOp& op, const Buffers& buffers) {
  const size_t from = size_of(op.from), to = size_of(op.to);
  for (size_t i = 0; i < static_cast<size_t>(op.elements); ++i) {
    const auto x =
        static_cast<uint32_t>(read_integer(op.from, buffers.inputs[0].data() + i * from));
    const auto less = static_cast<int32_t>(x - static_cast<uint32_t>(op.input_zero_point));
    const RescaleOp::Scale& scale = less < 0 ? op.negative : op.positive;
    const int64_t sum =
        int64_t{multiply_by_quantized_multiplier(less, scale.multiplier, scale.shift)} +
        op.output_zero_point;
    const auto y = static_cast<int32_t>(std::clamp<int64_t>(sum, op.low, op.high));
    std::memcpy(buffers.outputs[0].data() + i * to, &y, to);  // little-endian
  }
}

}  // namespace tinytune::reference
