// Short pieces of code whose cycles somebody published.
#pragma once

#include <span>
#include <string_view>

namespace tinytune {

struct MicroKernel {
  std::string_view device;
  std::string_view name;
  std::string_view body;  ///< assembly of one iteration; may use the argument registers
  double published_low = 0, published_high = 0;  ///< cycles an iteration
  std::string_view source;
};

std::span<const MicroKernel> micro_kernels();

}  // namespace tinytune
