// Short pieces of code with published cycle counts.
#pragma once

#include <span>
#include <string_view>

namespace tinytune {

enum class Slow { kNothing, kCode, kData };

struct MicroKernel {
  std::string_view device;
  std::string_view name;
  std::string_view body;  ///< assembly of one iteration; may use the argument registers
  double published_low = 0, published_high = 0;  ///< cycles per iteration
  std::string_view source;
  /// Reads the code, or the data at the first argument, from flash with a cold cache. With neither,
  /// the core is timed alone.
  Slow slow = Slow::kNothing;
  /// Known error of the model, in cycles per iteration; the source says why it cannot be
  /// determined better. Any other difference is a failure, including none.
  double known_error = 0;
};

std::span<const MicroKernel> micro_kernels();

}  // namespace tinytune
