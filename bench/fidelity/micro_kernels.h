// Short pieces of code whose cycles somebody published.
#pragma once

#include <span>
#include <string_view>

namespace tinytune {

enum class Slow { kNothing, kCode, kData };

struct MicroKernel {
  std::string_view device;
  std::string_view name;
  std::string_view body;  ///< assembly of one iteration; may use the argument registers
  double published_low = 0, published_high = 0;  ///< cycles an iteration
  std::string_view source;
  /// What comes from flash, cold: its code, or the data that the first argument points to. Else the
  /// core is timed alone.
  Slow slow = Slow::kNothing;
  /// What the model is known to lack, in cycles an iteration; the source says why nobody can know
  /// better. Any other difference is an error, that it has gone included.
  double known_error = 0;
};

std::span<const MicroKernel> micro_kernels();

}  // namespace tinytune
