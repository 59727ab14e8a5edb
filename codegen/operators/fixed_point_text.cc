#include "codegen/operators/fixed_point_text.h"

#include <algorithm>
#include <limits>

namespace tinytune {

const SharedFunction kRequantise = {
    "requantise",
    "/* value * multiplier * 2^(shift - 31), rounded after the multiplication and after the shift. "
    "*/",
    "int32_t @_requantise(int32_t value, int32_t multiplier, int32_t shift)",
    R"(
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t right = shift > 0 ? 0 : -shift;
  const int32_t shifted = (int32_t)((uint32_t)value << left);
  const int32_t high = (int32_t)(((int64_t)shifted * multiplier + 1073741824) >> 31);
  const int32_t mask = (int32_t)((UINT32_C(1) << right) - 1u);
  return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0 ? 1 : 0) ? 1 : 0);
)",
    {}};

void print_requantise(CWriter& w, int32_t multiplier, int shift) {
  const int left = std::max(shift, 0), right = std::max(-shift, 0);
  if (left > 0) w.line("v = (int32_t)((uint32_t)v << " + std::to_string(left) + ");");
  w.line("v = (int32_t)(((int64_t)v * " + c_int(multiplier) + " + 1073741824) >> 31);");
  if (right == 0) return;
  const int64_t mask = (int64_t{1} << right) - 1;
  w.line("v = (v >> " + std::to_string(right) + ") + ((v & " + std::to_string(mask) + ") > " +
         std::to_string(mask >> 1) + " + (v < 0 ? 1 : 0) ? 1 : 0);");
}

void print_clamped_store(CWriter& w, const ClampedStore& store) {
  const std::string low = c_int(store.low - store.zero_point);
  const std::string high = c_int(store.high - store.zero_point);
  w.line("if (v < " + low + ") v = " + low + ";");
  w.line("if (v > " + high + ") v = " + high + ";");
  w.line(store.output + " = (int8_t)(" + c_plus("v", store.zero_point) + ");");
}

std::optional<HighMultiply> find_high_multiply(int32_t multiplier, int shift, int64_t first,
                                               int64_t last, int low, int high,
                                               const std::function<int(int32_t)>& wanted) {
  const int64_t reach = std::max(std::abs(first), std::abs(last));
  HighMultiply form;
  form.multiplier = multiplier;
  // multiplier * 2^(shift - 31) == 2^left * multiplier / 2^32 / 2^right
  while (form.left < 30 && (reach << (form.left + 1)) < (int64_t{1} << 31)) ++form.left;
  form.right = form.left - 1 - shift;
  if (form.right > 30) {
    form.left -= form.right - 30;
    form.right = 30;
  }
  if (form.left < 0 || form.right < 1) return std::nullopt;
  int64_t least = std::numeric_limits<int32_t>::min(), most = std::numeric_limits<int32_t>::max();
  for (int64_t x = first; x <= last; ++x) {
    const int64_t scaled = ((x << form.left) * multiplier) >> 32;
    const int64_t want = wanted(static_cast<int32_t>(x));
    if (want > low) least = std::max(least, (want << form.right) - scaled);
    if (want < high) most = std::min(most, ((want + 1) << form.right) - scaled - 1);
    // The sum itself must stay an int32.
    least = std::max(least, std::numeric_limits<int32_t>::min() - scaled);
    most = std::min(most, std::numeric_limits<int32_t>::max() - scaled);
    if (least > most) return std::nullopt;
  }
  form.offset = static_cast<int32_t>(least + (most - least) / 2);
  return form;
}

void print_high_multiply(CWriter& w, const HighMultiply& form, const std::string& x) {
  w.line("int32_t v = ((int32_t)((int64_t)((" + x + ") * " +
         std::to_string(int64_t{1} << form.left) + ") * " + c_int(form.multiplier) + " >> 32) + " +
         c_int(form.offset) + ") >> " + std::to_string(form.right) + ";");
}

}  // namespace tinytune
