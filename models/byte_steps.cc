#include "models/byte_steps.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tinytune {

ByteSteps find_byte_steps(int32_t first, int32_t last,
                          const std::function<int(int32_t)>& function) {
  ByteSteps steps;
  for (int level = -127; level <= 127; ++level) {
    int64_t low = first, high = int64_t{last} + 1;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (function(static_cast<int32_t>(middle)) >= level)
        high = middle;
      else
        low = middle + 1;
    }
    steps.push_back(low > last ? std::numeric_limits<int32_t>::max() : static_cast<int32_t>(low));
  }
  return steps;
}

int8_t byte_of(const ByteSteps& steps, int32_t value) {
  const auto reached = std::upper_bound(steps.begin(), steps.end(), value) - steps.begin();
  return static_cast<int8_t>(reached - 128);
}

int32_t key_of(float value) {
  const auto bits = std::bit_cast<int32_t>(value);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

float float_of_key(int32_t key) { return std::bit_cast<float>(key < 0 ? key ^ 0x7fffffff : key); }

}  // namespace tinytune
