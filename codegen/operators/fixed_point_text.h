// Requantisation as C text: TFLite's MultiplyByQuantizedMultiplier with constants folded in, and
// the cheaper forms that a search over all arguments may prove equal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune {

/// Lines that scale int32_t `v` exactly as the reference does, every rounding included.
void print_requantise(CWriter& w, int32_t multiplier, int shift);

/// The same for |v| <= `reach`: in fewer steps if these cannot overflow.
void print_requantise(CWriter& w, int32_t multiplier, int shift, int64_t reach);

/// Lines that store clamp(v + zero_point, low, high) of any int32_t `v`: they clamp before they
/// add, since the sum may overflow int32. A limit at an end of int32 needs no clamp.
struct ClampedStore {
  std::string output;  ///< an lvalue
  int low = -128, high = 127, zero_point = 0;
  const char* type = "int8_t";
};
void print_clamped_store(CWriter& w, const ClampedStore& store);

/// requantise(value, multiplier, shift), for constants that differ by channel.
extern const SharedFunction kRequantise;

/// scale_long(value, multiplier, shift): fixed_point::scale_long() with its high_half() and total
/// right shift, 8 to 46, as arguments.
extern const SharedFunction kScaleLong;

/// The call of scale_long() that scales int64_t expression `value` as fixed_point::scale_long()
/// does.
std::string scale_long_text(EmitContext& context, const std::string& value, int32_t multiplier,
                            int shift);

/// Element `index` of 64-bit constants, as an expression. If they all fit 32 bits, the array holds
/// int32_t; else two words each, low first, since arrays are aligned to words only.
std::string long_constant(EmitContext& context, const std::string& name,
                          const std::vector<int64_t>& values, const std::string& index);

/// The byte that int32_t expression `value` reaches, as an expression of -128 to 127.
std::string byte_steps_text(EmitContext& context, const ByteSteps& steps, const std::string& value);

/// high_mul(a, b), reciprocal(x), shift_up(x, n), inverse_root(x, &shift): models/reference/
/// fixed_point.h says what each computes.
extern const SharedFunction kHighMul, kReciprocal, kShiftUp, kInverseRoot;

/// `(mulh((x << left) + sign, multiplier) + offset) >> right`, where mulh is the high word of the
/// 64-bit product, and sign is `below` for x < 0 and otherwise 0. With `in_a_word`,
/// `(x * multiplier + offset) >> right` in 32 bits: fewer bits of the multiplier suffice.
struct HighMultiply {
  bool in_a_word = false;
  int left = 0, right = 0;
  int32_t multiplier = 0, offset = 0, below = 0;
};

/// Finds constants with clamp(form(x), low, high) == wanted(x) for every x in [first, last], where
/// `wanted` is clamp(zero_point + requantise(x)), which never falls. Nothing if none are found.
/// `with_sign`: also tries constants with a `below`, for cores without a shorter requantisation.
std::optional<HighMultiply> find_high_multiply(int32_t multiplier, int shift, int64_t first,
                                               int64_t last, int low, int high,
                                               const std::function<int(int32_t)>& wanted,
                                               bool with_sign = false);

/// high_word(a, b), in one instruction on RISC-V: with a constant, compilers take four.
extern const SharedFunction kHighWord;

/// The lines that compute `v` from expression `x` by the form; `high_word` is kHighWord's symbol,
/// or empty if compilers need none.
void print_high_multiply(CWriter& w, const HighMultiply& form, const std::string& x,
                         const std::string& high_word = "");

}  // namespace tinytune
