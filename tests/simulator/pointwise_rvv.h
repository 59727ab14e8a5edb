// A pointwise int8 convolution of 64 to 64 channels with RISC-V vectors, written as assembly in
// several ways whose cycles on Vicuna's RTL are known.
//
// Lanes hold channels; a tile is as many of them as a register group holds bytes, by a few pixels.
// Inputs are scalars. Products are added to 32-bit sums at once, or several taps are first added in
// 16 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tinytune {

struct PointwiseRvv {
  const char* name;
  unsigned vector_bits = 128, lmul = 1;
  bool wide = true;  ///< 16-bit weights, products into 32-bit sums; else `group` taps in 16 bits
  unsigned pixels = 5, unroll = 8, group = 1;
  uint64_t rtl_cycles = 0;  ///< for 64 to 64 channels at 10 pixels

  /// A function `f(input, weights, parameters, output)`; it ends once its stores are in memory.
  std::string assembly() const;

  /// Cycles on the device vicuna with the RTL's vector length and width. 0: the call failed.
  uint64_t cycles() const;
};

/// All kernels, with their cycles on Vicuna debfb03 and CV32E40X 5ecb42b7 under Verilator 5.006,
/// with pipes half as wide as registers and 64-bit memory.
std::span<const PointwiseRvv> pointwise_rvv();

}  // namespace tinytune
