// The divisions and roots of plain integers (form.h), which import, reference and tests share.
#pragma once

#include <cstdint>

namespace tinytune {

/// Returns n / d, rounded towards minus infinity, or to the nearest with halves away from zero.
/// Division by 0 gives 0.
inline int64_t plain_quotient(int64_t n, int64_t d, bool to_nearest) {
  if (d == 0) return 0;
  if (to_nearest) return (n >= 0 ? n + (d >> 1) : n - (d >> 1)) / d;
  const int64_t quotient = n / d;
  return quotient - (n % d != 0 && (n < 0) != (d < 0) ? 1 : 0);
}

/// Returns the largest integer whose square is at most `x`.
inline uint32_t plain_root(uint64_t x) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 31; bit > 0; bit >>= 1)
    if ((root + bit) * (root + bit) <= x) root += bit;
  return static_cast<uint32_t>(root);
}

}  // namespace tinytune
