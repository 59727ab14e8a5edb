// A pointwise int8 convolution of 64 by 64 channels in RISC-V's vectors, written out as assembly in
// several ways whose cycles on Vicuna's RTL are known.
//
// Channels are in lanes; a tile is as many of them as a group of registers holds bytes, by a few
// pixels. Inputs are scalars. Products go into sums of 32 bits at once, or several taps are first
// added in 16 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tinytune {

struct PointwiseRvv {
  const char* name;
  unsigned vector_bits = 128, lmul = 1;
  bool wide = true;  ///< weights of 16 bits, products into sums of 32; else `group` taps in 16 bits
  unsigned pixels = 5, unroll = 8, group = 1;
  uint64_t rtl_cycles = 0;  ///< of 64 to 64 channels at 10 pixels

  /// A function `f(input, weights, parameters, output)`; it ends once the stores are in memory.
  std::string assembly() const;

  /// On the device vicuna, made as long and as wide as the RTL was. 0: it did not end well.
  uint64_t cycles() const;
};

/// With what Vicuna debfb03 and CV32E40X 5ecb42b7 took under Verilator 5.006, pipes half as wide as
/// registers and memory of 64 bits.
std::span<const PointwiseRvv> pointwise_rvv();

}  // namespace tinytune
