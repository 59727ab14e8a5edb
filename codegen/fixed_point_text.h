// Requantisation as C text: TFLite's MultiplyByQuantizedMultiplier with constants folded in, and
// the cheaper forms that a search over all arguments may prove equal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "codegen/c_writer.h"
#include "codegen/operator_emitter.h"

namespace tinytune {

/// Lines that scale int32_t `v` exactly as the reference does, every rounding included.
void print_requantise(CWriter& w, int32_t multiplier, int shift);

/// Needs the C function `<name>_requantise(value, multiplier, shift)`, for per-channel constants.
void need_requantise(const EmitContext& context);

/// `(mulh(x << left, multiplier) + offset) >> right`, mulh the high word of the 64-bit product.
struct HighMultiply {
  int left = 0, right = 0;
  int32_t multiplier = 0, offset = 0;
};

/// Constants with clamp(form(x), low, high) == wanted(x) for every x in [first, last], where
/// `wanted` is clamp(zero_point + requantise(x)). Nothing where none are found.
std::optional<HighMultiply> find_high_multiply(int32_t multiplier, int shift, int64_t first,
                                               int64_t last, int low, int high,
                                               const std::function<int(int32_t)>& wanted);

/// The line that computes `v` from expression `x` by the form.
void print_high_multiply(CWriter& w, const HighMultiply& form, const std::string& x);

}  // namespace tinytune
