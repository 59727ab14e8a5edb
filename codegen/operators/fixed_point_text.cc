#include "codegen/operators/fixed_point_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/little_endian.h"
#include "models/reference/fixed_point.h"

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

// In words of 32 bits: some compilers call a function for a 64-bit shift.
const SharedFunction kScaleLong = {
    "scale_long",
    "/* value * multiplier / 2^right of 8 <= right < 64, halves up, modulo 2^32. */",
    "int32_t @_scale_long(int64_t value, int32_t multiplier, int32_t right)",
    R"(
  const uint64_t product = (uint64_t)value * (uint64_t)(int64_t)multiplier;
  const uint32_t low = (uint32_t)product;
  const int32_t high = (int32_t)(uint32_t)(product >> 32);
  if (right < 32)
    return (int32_t)((low >> right | (uint32_t)high << (32 - right)) + (low >> (right - 1) & 1u));
  if (right == 32) return (int32_t)((uint32_t)high + (low >> 31));
  return (high >> (right - 32)) + (high >> (right - 33) & 1);
)",
    {}};

const SharedFunction kHighMul = {"high_mul",
                                 "/* (a * b + 2^30) >> 31 */",
                                 "int32_t @_high_mul(int32_t a, int32_t b)",
                                 R"(
  return (int32_t)(((int64_t)a * b + (INT64_C(1) << 30)) >> 31);
)",
                                 {}};

const SharedFunction kHighWord = {"high_word",
                                  "/* a * b / 2^32, rounded down. */",
                                  "int32_t @_high_word(int32_t a, int32_t b)",
                                  R"(
#if defined(__riscv_mul) && defined(__GNUC__)
  int32_t high;
  __asm__("mulh %0, %1, %2" : "=r"(high) : "r"(a), "r"(b));
  return high;
#else
  return (int32_t)((int64_t)a * b >> 32);
#endif
)",
                                  {}};

namespace {

const SharedFunction kTimes4 = {"times4",
                                "/* x * 4, saturating */",
                                "int32_t @_times4(int32_t x)",
                                R"(
  if (x > 536870911) return INT32_MAX;
  if (x < -536870911) return -INT32_MAX - 1;
  return x * 4;
)",
                                {}};

}  // namespace

// Three Newton steps from 48/17 - 32/17 * d.
const SharedFunction kReciprocal = {"reciprocal",
                                    "/* 1 / (1 + x) for x in [0, 1), both in units of 2^-31. */",
                                    "int32_t @_reciprocal(int32_t x)",
                                    R"(
  const int32_t half = (int32_t)(((uint32_t)x + 0x80000000u) >> 1);
  int32_t y = 1515870810 + @_high_mul(half, -1010580540);
  for (int32_t step = 0; step < 3; ++step) {
    const int32_t error = 536870912 - @_high_mul(half, y);
    y += @_times4(@_high_mul(y, error));
  }
  return y >= 1073741824 ? INT32_MAX : y * 2;
)",
                                    {&kHighMul, &kTimes4}};

const SharedFunction kShiftUp = {"shift_up",
                                 "/* x * 2^n, saturating */",
                                 "int32_t @_shift_up(int32_t x, int32_t n)",
                                 R"(
  const int64_t exact = (int64_t)x * (INT64_C(1) << n);
  if (exact > INT32_MAX) return INT32_MAX;
  if (exact < -INT64_C(2147483648)) return -INT32_MAX - 1;
  return (int32_t)exact;
)",
                                 {}};

// Newton's iteration x <- x (3 - a x^2) / 2 from 1, on `a` shifted into [1/4, 1).
const SharedFunction kInverseRoot = {
    "inverse_root",
    "/* 1 / sqrt(x) is the result * 2^(*shift - 31), for x >= 0; zero counts as one. */",
    "int32_t @_inverse_root(int32_t x, int32_t *shift)",
    R"(
  int32_t right = 11;
  *shift = 0;
  if (x <= 1) return INT32_MAX;
  for (; x >= 536870912; x /= 4) ++right;
  for (; x < 134217728; x *= 4) --right;
  const int32_t quarter = (x >> 2) + ((x >> 1) & 1);
  int32_t root = 268435456;
  for (int32_t step = 0; step < 5; ++step) {
    const int32_t cube = @_shift_up(@_high_mul(@_high_mul(root, root), root), 6);
    root = @_shift_up(@_high_mul(402653184, root) - @_high_mul(quarter, cube), 3);
  }
  root = @_high_mul(root, 1518500250);
  if (right < 0) {
    root *= (int32_t)(UINT32_C(1) << -right);
    right = 0;
  }
  *shift = -right;
  return root;
)",
    {&kShiftUp, &kHighMul}};

std::string scale_long_text(EmitContext& context, const std::string& value, int32_t multiplier,
                            int shift) {
  return context.helper(kScaleLong) + "(" + value + ", " +
         std::to_string(fixed_point::high_half(multiplier)) + ", " + std::to_string(15 - shift) +
         ")";
}

std::string long_constant(EmitContext& context, const std::string& name,
                          const std::vector<int64_t>& values, const std::string& index) {
  const std::vector<int32_t> narrow(values.begin(), values.end());
  if (std::equal(narrow.begin(), narrow.end(), values.begin()))
    return context.constant(name, CType::kInt32, little_endian_bytes(narrow)) + "[" + index + "]";
  const std::string words = context.constant(name, CType::kUint32, little_endian_bytes(values));
  return "(int64_t)((uint64_t)" + words + "[2 * " + index + " + 1] << 32 | " + words + "[2 * " +
         index + "])";
}

namespace {

const SharedFunction kCountSteps = {"count_steps",
                                    "/* How many of 255 ascending steps `value` reaches. */",
                                    "int32_t @_count_steps(int32_t value, const int32_t *steps)",
                                    R"(
  int32_t count = 0;
  for (int32_t half = 128; half > 0; half >>= 1) {
    if (steps[count + half - 1] <= value) count += half;
  }
  return count;
)",
                                    {}};

}  // namespace

std::string byte_steps_text(EmitContext& context, const ByteSteps& steps,
                            const std::string& value) {
  return "(" + context.helper(kCountSteps) + "(" + value + ", " +
         context.constant("steps", CType::kInt32, little_endian_bytes(steps)) + ") - 128)";
}

void print_requantise(CWriter& w, int32_t multiplier, int shift) {
  const int left = std::max(shift, 0), right = std::max(-shift, 0);
  if (left > 0) w.line("v = (int32_t)((uint32_t)v << " + std::to_string(left) + ");");
  w.line("v = (int32_t)(((int64_t)v * " + c_int(multiplier) + " + 1073741824) >> 31);");
  if (right == 0) return;
  const int64_t mask = (int64_t{1} << right) - 1;
  w.line("v = (v >> " + std::to_string(right) + ") + ((v & " + std::to_string(mask) + ") > " +
         std::to_string(mask >> 1) + " + (v < 0 ? 1 : 0) ? 1 : 0);");
}

void print_requantise(CWriter& w, int32_t multiplier, int shift, int64_t reach) {
  if (reach >= int64_t{1} << 30 || shift > -1 || shift < -30)
    return print_requantise(w, multiplier, shift);
  w.line("v = (int32_t)(((int64_t)(v * 2) * " + c_int(multiplier) + " + 2147483648) >> 32);");
  w.line("v = (v + (v >> 31) + " + c_int(int64_t{1} << (-shift - 1)) + ") >> " +
         std::to_string(-shift) + ";");
}

void print_clamped_store(CWriter& w, const ClampedStore& store) {
  const std::string low = c_int(store.low - store.zero_point);
  const std::string high = c_int(store.high - store.zero_point);
  if (store.low > std::numeric_limits<int32_t>::min())
    w.line("if (v < " + low + ") v = " + low + ";");
  if (store.high < std::numeric_limits<int32_t>::max())
    w.line("if (v > " + high + ") v = " + high + ";");
  w.line(store.output + " = (" + store.type + ")(" + c_plus("v", store.zero_point) + ");");
}

namespace {

// From `first` on the result is at least `level`.
struct Step {
  int level;
  int64_t first;
};

// All steps between the ends of a range; `wanted` never falls.
std::vector<Step> steps_of(int64_t first, int64_t last, const std::function<int(int32_t)>& wanted) {
  const auto at = [&](int64_t x) { return wanted(static_cast<int32_t>(x)); };
  std::vector<Step> steps;
  for (int level = at(first) + 1; level <= at(last); ++level) {
    int64_t below = steps.empty() ? first : steps.back().first - 1, reached = last;
    while (reached - below > 1) {
      const int64_t middle = below + (reached - below) / 2;
      (at(middle) < level ? below : reached) = middle;
    }
    steps.push_back({level, reached});
  }
  return steps;
}

// Returns the middle of the offsets with which the form has these steps and no others.
std::optional<int32_t> find_offset(const HighMultiply& form, int64_t first, int64_t last,
                                   std::span<const Step> steps, int lowest, int low, int high) {
  const auto scaled = [&](int64_t x) {
    const int64_t shifted = x * (int64_t{1} << form.left) + (x < 0 ? form.below : 0);
    return (shifted * form.multiplier) >> (form.in_a_word ? 0 : 32);
  };
  const auto from = [&](int64_t level) { return level * (int64_t{1} << form.right); };
  // The sum itself must stay an int32.
  int64_t least = std::numeric_limits<int32_t>::min() - scaled(first);
  int64_t most = std::numeric_limits<int32_t>::max() - scaled(last);
  least = std::max<int64_t>(least, std::numeric_limits<int32_t>::min());
  most = std::min<int64_t>(most, std::numeric_limits<int32_t>::max());
  const int highest = steps.empty() ? lowest : steps.back().level;
  if (lowest > low) least = std::max(least, from(lowest) - scaled(first));
  if (highest < high) most = std::min(most, from(highest + 1) - scaled(last) - 1);
  for (const Step& step : steps) {
    least = std::max(least, from(step.level) - scaled(step.first));
    most = std::min(most, from(step.level) - scaled(step.first - 1) - 1);
  }
  if (least > most) return std::nullopt;
  return static_cast<int32_t>(least + (most - least) / 2);
}

// The multiplier itself and others nearby, nearest first.
std::vector<int64_t> multipliers_near(int32_t multiplier) {
  constexpr int kNearest = 30, kFarthest = 13;
  std::vector<int64_t> all = {multiplier};
  for (int bits = kNearest; bits >= kFarthest; --bits)
    for (const int64_t sign : {1, -1}) all.push_back(multiplier + sign * (multiplier >> bits));
  return all;
}

// Keeps as many bits of the multiplier as leave room for the offset.
std::optional<HighMultiply> find_word_multiply(double scale, int64_t first, int64_t last, int low,
                                               int high, std::span<const Step> steps, int lowest) {
  const int64_t reach = std::max<int64_t>({1, std::abs(first), std::abs(last)});
  HighMultiply form;
  form.in_a_word = true;
  for (form.right = 30; form.right > 0; --form.right) {
    const double wanted = std::round(std::ldexp(scale, form.right));
    if (wanted * static_cast<double>(reach) < 0x1p30) {
      form.multiplier = static_cast<int32_t>(wanted);
      break;
    }
  }
  if (form.right < 1 || form.multiplier < 1) return std::nullopt;
  const int32_t nearest = form.multiplier;
  for (const int32_t candidate : {nearest, nearest + 1, nearest - 1}) {
    form.multiplier = candidate;
    const auto offset = find_offset(form, first, last, steps, lowest, low, high);
    if (!offset) continue;
    form.offset = *offset;
    return form;
  }
  return std::nullopt;
}

// Two roundings put the steps below zero one unit of the first rounding higher than a line through
// those above it: 2^31 / multiplier in units of x.
std::optional<HighMultiply> find_signed_multiply(HighMultiply form, int32_t multiplier,
                                                 int64_t first, int64_t last, int low, int high,
                                                 std::span<const Step> steps, int lowest) {
  const int64_t unit = (int64_t{1} << (31 + form.left)) / multiplier;
  if (first * (int64_t{1} << form.left) - unit - 1 < std::numeric_limits<int32_t>::min())
    return std::nullopt;
  form.multiplier = multiplier;
  for (const int64_t apart : {unit, unit + 1, unit - 1, unit * 3 / 4, unit / 2}) {
    form.below = static_cast<int32_t>(-apart);
    const auto offset = find_offset(form, first, last, steps, lowest, low, high);
    if (!offset) continue;
    form.offset = *offset;
    return form;
  }
  return std::nullopt;
}

}  // namespace

// Halves are rounded away from zero, so if products are halves, those above zero and those below it
// need different offsets; a slightly different multiplier moves both apart.
std::optional<HighMultiply> find_high_multiply(int32_t multiplier, int shift, int64_t first,
                                               int64_t last, int low, int high,
                                               const std::function<int(int32_t)>& wanted,
                                               bool with_sign) {
  const int64_t reach = std::max(std::abs(first), std::abs(last));
  const std::vector<Step> steps = steps_of(first, last, wanted);
  const int lowest = wanted(static_cast<int32_t>(first));
  if (const auto word = find_word_multiply(std::ldexp(multiplier, shift - 31), first, last, low,
                                           high, steps, lowest))
    return word;
  HighMultiply form;
  // multiplier * 2^(shift - 31) == 2^left * multiplier / 2^32 / 2^right
  while (form.left < 30 && (reach << (form.left + 1)) < (int64_t{1} << 31)) ++form.left;
  form.right = form.left - 1 - shift;
  if (form.right > 30) {
    form.left -= form.right - 30;
    form.right = 30;
  }
  if (form.left < 0 || form.right < 1) return std::nullopt;
  for (const int64_t candidate : multipliers_near(multiplier)) {
    if (candidate > std::numeric_limits<int32_t>::max()) continue;
    form.multiplier = static_cast<int32_t>(candidate);
    const auto offset = find_offset(form, first, last, steps, lowest, low, high);
    if (!offset) continue;
    form.offset = *offset;
    return form;
  }
  if (with_sign)
    return find_signed_multiply(form, multiplier, first, last, low, high, steps, lowest);
  return std::nullopt;
}

void print_high_multiply(CWriter& w, const HighMultiply& form, const std::string& x,
                         const std::string& high_word) {
  if (form.in_a_word) {
    const std::string scaled = form.multiplier == 1 ? x : "(" + x + ") * " + c_int(form.multiplier);
    w.line("int32_t v = (" + c_plus(scaled, form.offset) + ") >> " + std::to_string(form.right) +
           ";");
    return;
  }
  const std::string multiplier = c_int(form.multiplier), added = c_int(form.offset) + ") >> ";
  std::string shifted = "(" + x + ") * " + std::to_string(int64_t{1} << form.left);
  if (form.below != 0) {
    w.line("const int32_t of_sign = (" + x + ") >> 31 & " + c_int(form.below) + ";");
    shifted += " + of_sign";
  }
  const std::string high = high_word.empty()
                               ? "(int32_t)((int64_t)(" + shifted + ") * " + multiplier + " >> 32)"
                               : high_word + "(" + shifted + ", " + multiplier + ")";
  w.line("int32_t v = (" + high + " + " + added + std::to_string(form.right) + ";");
}

}  // namespace tinytune
