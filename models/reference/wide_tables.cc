#include "models/reference/wide_tables.h"

#include <algorithm>
#include <cmath>

namespace tinytune {
namespace {

// TFLite's LUTPopulate in float32, for an input scale and zero point. Moves each point by half the
// error in the middle of the interval behind it.
template <typename F>
WideTable table_of(F f, float input_scale, int input_zero_point) {
  constexpr int kSteps = 512, kMin = -32768, kMax = 32767;
  const float output_scale = 2.0F / 65535;
  const float first = input_scale * static_cast<float>(kMin - input_zero_point);
  const float last = input_scale * static_cast<float>(kMax - input_zero_point);
  const float step = (last - first) / kSteps, half = step / 2;
  const float inverse = 65536.0F / (output_scale * kMax - output_scale * kMin);
  const auto clamped = [](float x) {
    return static_cast<int16_t>(std::clamp<float>(x, kMin, kMax));
  };
  WideTable table;
  for (int i = 0; i < kSteps; ++i) {
    const float here = first + static_cast<float>(i) * step;
    const float next = first + static_cast<float>(i + 1) * step;
    const float point = std::round(f(here) * inverse);
    const float middle_of_line = std::round((f(next) * inverse + point) / 2);
    const float middle = std::round(f(here + half) * inverse);
    table[static_cast<size_t>(i)] = clamped(point - std::round((middle_of_line - middle) / 2));
  }
  table[kSteps] = clamped(std::round(f(last) * inverse));
  return table;
}

}  // namespace

const WideTable& wide_exp_table() {
  static const WideTable kTable =
      table_of([](float x) { return std::exp(x); }, 10.0F / 65535, 32767);
  return kTable;
}

const WideTable& wide_inverse_table() {
  static const WideTable kTable =
      table_of([](float x) { return 1.0F / (1.0F + x); }, 1.0F / 65535, -32768);
  return kTable;
}

int16_t wide_lookup(const WideTable& table, int16_t x) {
  const auto at = static_cast<size_t>((x >> 7) + 256);
  const int base = table[at], slope = static_cast<int16_t>(table[at + 1] - base);
  return static_cast<int16_t>(base + ((slope * (x & 127) + 64) >> 7));
}

}  // namespace tinytune
