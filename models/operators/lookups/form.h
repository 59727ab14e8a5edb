// The forms of functions of one value.
#pragma once

#include <array>
#include <cstdint>

namespace tinytune {

/// Every function of one 8-bit value: RELU, RELU6, LEAKY_RELU, LOGISTIC, TANH, HARD_SWISH, ELU,
/// ABS, RSQRT, LOGICAL_NOT and QUANTIZE between int8 and uint8. Byte in, byte out; the index is the
/// stored byte as unsigned.
struct LookupOp {
  int64_t elements = 0;
  std::array<uint8_t, 256> table{};
};

/// LOGISTIC and TANH of int16: functions of (x * factor + 2^(shift - 1)) >> shift in units of
/// 1 / 12288, or of x * factor if `shift` is 0. The result has 15 fraction bits.
struct WideGateOp {
  int64_t elements = 0;
  bool is_tanh = false;
  int32_t factor = 0;
  int shift = 0;
};

}  // namespace tinytune
