#include "codegen/operators/gate_text.h"

namespace tinytune {

const SharedFunction kBetweenPoints = {
    "between_points",
    "/* 2^bits times the function of `table` at x / 2^bits: lines between its points. */",
    "int32_t @_between_points(const int16_t *table, int32_t x, int32_t bits)",
    R"(
  const int32_t low = table[x >> bits], high = table[(x >> bits) + 1];
  return (int32_t)((uint32_t)low << bits) + (x & ((1 << bits) - 1)) * (high - low);
)",
    {}};

const SharedFunction kTanh = {"tanh_16",
                              "/* tanh, 15 fraction bits, of a value in units of 1 / 12288. */",
                              "int32_t @_tanh_16(const int16_t *table, int32_t x)",
                              R"(
  const int32_t size = x < 0 ? -x : x;
  const int32_t y = size >> 8 >= 255 ? 8388352 : @_between_points(table, size, 8);
  return (x < 0 ? 127 - y : y + 128) >> 8;
)",
                              {&kBetweenPoints}};

const SharedFunction kScaledLogistic = {
    "scaled_logistic_16",
    "/* The logistic function, 15 fraction bits, of a value in units of 1 / 12288. */",
    "int32_t @_scaled_logistic_16(const int16_t *table, int32_t x)",
    R"(
  const int32_t size = x < 0 ? -x : x;
  const int32_t y = size >> 9 >= 255 ? 16776192 : @_between_points(table, size, 9);
  return 16384 + ((x < 0 ? 511 - y : y + 512) >> 10);
)",
    {&kBetweenPoints}};

}  // namespace tinytune
