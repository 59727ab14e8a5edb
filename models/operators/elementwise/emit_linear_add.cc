#include "models/operators/elementwise/emit_linear_add.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "schedules/requantise.h"

namespace tinytune {
namespace {

constexpr int kSearchRadius = 6;  // steps of k1 and of k2 around the nearest integers

int32_t scaled_input(int x, int32_t offset, int32_t multiplier, int shift, int left_shift) {
  return multiply_by_quantized_multiplier((x + offset) * (1 << left_shift), multiplier, shift);
}

double real_scale(int32_t multiplier, int shift) {
  return std::ldexp(static_cast<double>(multiplier), shift - 31);
}

using Outputs = std::vector<int8_t>;  // [x1 + 128][x2 + 128]

int8_t finished(const AddOp& op, int32_t first, int32_t second) {
  const int32_t sum = op.subtract ? first - second : first + second;
  return add_zero_point(
      multiply_by_quantized_multiplier(sum, op.output_multiplier, op.output_shift),
      op.output_offset, op.activation_min, op.activation_max);
}

// Returns add_reference() of every pair; scales each operand once.
Outputs all_outputs(const AddOp& op) {
  const AddTerms terms = add_terms(op);
  Outputs out;
  out.reserve(65536);
  for (const int32_t first : terms.first)
    for (const int32_t second : terms.second) out.push_back(finished(op, first, second));
  return out;
}

// Returns the middle of the interval of all c that fit (k1, k2, shift) on every pair, or nullopt.
std::optional<int32_t> offset_for(const AddOp& op, const Outputs& out, int64_t k1, int64_t k2,
                                  int shift) {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  size_t i = 0;
  for (int a = -128; a <= 127; ++a)
    for (int b = -128; b <= 127; ++b, ++i) {
      const int64_t sum = k1 * a + k2 * b, wanted = out[i];
      if (wanted > op.activation_min) low = std::max(low, (wanted << shift) - sum);
      if (wanted < op.activation_max) high = std::min(high, ((wanted + 1) << shift) - sum - 1);
      if (low > high) return std::nullopt;
    }
  if (low == std::numeric_limits<int64_t>::min() || high == std::numeric_limits<int64_t>::max())
    return std::nullopt;
  const int64_t middle = low + (high - low) / 2;
  const int64_t reach = 128 * (std::abs(k1) + std::abs(k2)) + std::abs(middle);
  if (reach > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return static_cast<int32_t>(middle);
}

}  // namespace

AddTerms add_terms(const AddOp& op) {
  AddTerms terms;
  for (int x = -128; x <= 127; ++x) {
    terms.first.push_back(
        scaled_input(x, op.input1_offset, op.input1_multiplier, op.input1_shift, op.left_shift));
    terms.second.push_back(
        scaled_input(x, op.input2_offset, op.input2_multiplier, op.input2_shift, op.left_shift));
  }
  return terms;
}

int8_t add_reference(const AddOp& op, int8_t x1, int8_t x2) {
  const int32_t first =
      scaled_input(x1, op.input1_offset, op.input1_multiplier, op.input1_shift, op.left_shift);
  const int32_t second =
      scaled_input(x2, op.input2_offset, op.input2_multiplier, op.input2_shift, op.left_shift);
  return finished(op, first, second);
}

std::optional<LinearAdd> find_linear_add(const AddOp& op) {
  const double out_scale =
      std::ldexp(real_scale(op.output_multiplier, op.output_shift), op.left_shift);
  const double s1 = real_scale(op.input1_multiplier, op.input1_shift) * out_scale;
  const double s2 =
      real_scale(op.input2_multiplier, op.input2_shift) * out_scale * (op.subtract ? -1 : 1);
  const Outputs out = all_outputs(op);
  // Tries the two finest fixed-point formats that hold the sum. If both fail, a coarser one could
  // fit only by luck.
  const double reach = 128 * (std::abs(s1) + std::abs(s2)) + std::abs(s1 * op.input1_offset) +
                       std::abs(s2 * op.input2_offset) + std::abs(op.output_offset) + 1;
  const int finest = std::min(30, 31 - static_cast<int>(std::ceil(std::log2(reach))));
  for (int shift = finest; shift > std::max(0, finest - 2); --shift) {
    const int64_t n1 = std::llround(std::ldexp(s1, shift)),
                  n2 = std::llround(std::ldexp(s2, shift));
    for (int radius = 0; radius <= kSearchRadius; ++radius)
      for (int d1 = -radius; d1 <= radius; ++d1)
        for (int d2 = -radius; d2 <= radius; ++d2) {
          if (std::max(std::abs(d1), std::abs(d2)) != radius) continue;
          const int64_t k1 = n1 + d1, k2 = n2 + d2;
          if (const auto c = offset_for(op, out, k1, k2, shift))
            return LinearAdd{static_cast<int32_t>(k1), static_cast<int32_t>(k2), *c, shift};
        }
  }
  return std::nullopt;
}

}  // namespace tinytune
