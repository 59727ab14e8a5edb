// The forms of QUANTIZE and DEQUANTIZE.
#pragma once

#include <cstdint>

#include "models/graph.h"
#include "schedules/workload.h"

namespace tinytune {

/// QUANTIZE of float32: clamp(round(x / scale) + zero_point), the division in float32, halves away
/// from zero or, in ONNX, to even. NaN gives the zero point; quotients outside int32 (undefined in
/// TFLite) are clamped.
struct QuantizeOp {
  int64_t elements = 0;
  float scale = 1;
  int zero_point = 0;
  int low = -128, high = 127;  ///< of the output's type: uint8, int8 or int16
  Rounding rounding = Rounding::kTwice;
};

/// DEQUANTIZE: float32(double(scale) * (x - zero_point)); of int32, float32(x) * scale in float32.
struct DequantizeOp {
  int64_t elements = 0;
  float scale = 1;
  int zero_point = 0;
  ElementType from = ElementType::kInt8;  ///< or uint8, int16, int32
};

/// QUANTIZE between integers of which one is wider than a byte; RELU, RELU6 and LEAKY_RELU of
/// int16: clamp(output_zero_point + requantise(x - input_zero_point)), with another multiplier for
/// differences below 0. Differences of int32 wrap.
struct RescaleOp {
  struct Scale {
    int32_t multiplier = 0;
    int shift = 0;
    bool operator==(const Scale&) const = default;
  };
  int64_t elements = 0;
  ElementType from = ElementType::kInt8, to = ElementType::kInt16;  ///< int8, int16 or int32
  int32_t input_zero_point = 0, output_zero_point = 0;
  Scale positive, negative;  ///< equal in QUANTIZE and RELU6
  int32_t low = -32768, high = 32767;
};

}  // namespace tinytune
