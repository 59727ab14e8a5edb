#include "models/quantise.h"

#include <algorithm>
#include <cmath>

namespace tinytune {

QuantizedMultiplier quantize_multiplier(double real) {
  if (real == 0) return {};
  QuantizedMultiplier result;
  const double fraction = std::frexp(real, &result.shift);
  auto fixed = static_cast<int64_t>(std::round(fraction * 2147483648.0));
  if (fixed == int64_t{1} << 31) {
    fixed /= 2;
    ++result.shift;
  }
  if (result.shift < -31) return {};
  result.multiplier = static_cast<int32_t>(fixed);
  return result;
}

Range activation_range(Activation activation, float scale, int zero_point, Range type) {
  // Beyond every type's range, so that clamping here changes no result and the sum fits an int.
  constexpr float kBeyondEveryType = 1 << 20;
  const auto quantised = [&](float value) {
    const float steps = std::round(value / scale);
    return zero_point + static_cast<int>(std::clamp(steps, -kBeyondEveryType, kBeyondEveryType));
  };
  switch (activation) {
    case Activation::kNone:
      return type;
    case Activation::kRelu:
      return {std::max(type.low, quantised(0)), type.high};
    case Activation::kRelu6:
      return {std::max(type.low, quantised(0)), std::min(type.high, quantised(6))};
    case Activation::kReluN1To1:
      return {std::max(type.low, quantised(-1)), std::min(type.high, quantised(1))};
  }
  return type;
}

bool window_is_small(int filter, int stride, int dilation) {
  return int64_t{dilation} * (filter - 1) + 1 <= kLargestWindow && stride <= kLargestWindow &&
         dilation <= kLargestWindow;
}

Window window_of(Padding padding, int input, int filter, int stride, int dilation) {
  const int reach = dilation * (filter - 1) + 1;
  if (padding == Padding::kValid && input < reach) return {};
  const int64_t room = padding == Padding::kSame ? int64_t{input} - 1 : int64_t{input} - reach;
  const auto extent = static_cast<int>(room / stride + 1);
  const int64_t missing = int64_t{extent - 1} * stride + reach - input;
  return {extent, static_cast<int>(std::max<int64_t>(0, missing) / 2)};
}

Range limits_of(ElementType type) {
  if (type == ElementType::kInt16) return {-32768, 32767};
  if (type == ElementType::kInt4) return {-8, 7};
  return type == ElementType::kUint8 ? Range{0, 255} : Range{-128, 127};
}

}  // namespace tinytune
