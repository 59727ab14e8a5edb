#include "schedules/requantise.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "schedules/layer_shifts.h"

namespace tinytune {
namespace {

int32_t rounding_doubling_high_multiply(int32_t a, int32_t b) {
  if (a == b && a == INT32_MIN) return INT32_MAX;
  // floor((ab + 2^30) / 2^31) equals the reference's sign-dependent nudge with truncation.
  return static_cast<int32_t>((int64_t{a} * b + (int64_t{1} << 30)) >> 31);
}

int32_t rounding_divide_by_power(int32_t x, int exponent) {
  const auto mask = static_cast<int32_t>((int64_t{1} << exponent) - 1);
  const int32_t remainder = x & mask;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

// Returns whether the reference's two steps fit a word for all reachable accumulators of all
// channels, and every channel's right shift is in [least, 31].
bool scales_without_overflow(const LayerData& data, const std::vector<AccumulatorRange>& ranges,
                             int least) {
  for (size_t c = 0; c < ranges.size(); ++c) {
    const int right = right_shift(data, static_cast<int>(c)), left = std::max(-right, 0);
    if (ranges[c].low < INT32_MIN || ranges[c].high > INT32_MAX) return false;
    if (data.multiplier[c] < 0 || right < least || right > 31) return false;
    const int64_t half = right > 0 ? int64_t{1} << (right - 1) : 0;
    for (const int64_t end : {ranges[c].low, ranges[c].high}) {
      const int64_t shifted = end * (int64_t{1} << left);
      if (shifted < INT32_MIN || shifted > INT32_MAX) return false;
      const int64_t h =
          rounding_doubling_high_multiply(static_cast<int32_t>(shifted), data.multiplier[c]);
      // Headroom for the zero point too, so that no later addition can wrap.
      if (std::abs(h) + half + 256 > INT32_MAX) return false;
    }
  }
  return true;
}

// Range of multipliers m. reach() narrows it to those with (x * m >> 32) >= target, stay_below() to
// those with (x * m >> 32) < target.
struct Limits {
  int64_t low = 0, high = 0;
  bool empty() const { return low > high; }
  void reach(int64_t x, int64_t target) {  // x * m >= target * 2^32
    const __int128 product = static_cast<__int128>(target) << 32;
    if (x == 0) {
      if (target > 0) high = -1;
    } else if (x > 0) {
      const __int128 quotient = product / x;
      const __int128 up = quotient + (product > quotient * x ? 1 : 0);
      low = static_cast<int64_t>(std::max<__int128>(low, std::min<__int128>(up, INT64_MAX)));
    } else {
      const __int128 numerator = -product, divisor = -x;  // m <= numerator / divisor
      __int128 quotient = numerator / divisor;
      if (numerator < quotient * divisor) --quotient;
      high = static_cast<int64_t>(std::min<__int128>(high, std::max<__int128>(quotient, -1)));
    }
  }
  void stay_below(int64_t x, int64_t target) {  // x * m < target * 2^32, i.e. <= it - 1
    const __int128 product = (static_cast<__int128>(target) << 32) - 1;
    if (x == 0) {
      if (product < 0) high = -1;
    } else if (x > 0) {
      __int128 quotient = product / x;
      if (product < quotient * x) --quotient;
      high = static_cast<int64_t>(std::min<__int128>(high, std::max<__int128>(quotient, -1)));
    } else {
      const __int128 numerator = -product, divisor = -x;  // m >= numerator / divisor
      const __int128 quotient = numerator / divisor;
      const __int128 up = quotient + (numerator > quotient * divisor ? 1 : 0);
      low = static_cast<int64_t>(std::max<__int128>(low, std::min<__int128>(up, INT64_MAX)));
    }
  }
};

// A fused form whose multiplicand is (acc + origin) << left.
struct FusedForm {
  int left = 0, right = 0;
  int64_t origin = 0;
  int multiplier_bits = 31;

  int64_t factor(int64_t accumulator) const {
    return (accumulator + origin) * (int64_t{1} << left);
  }
  double multiplier(double scale) const { return std::ldexp(scale, 32 + right - left); }
  int64_t most() const { return (int64_t{1} << multiplier_bits) - 1; }
};

int64_t high_word(int64_t a, int64_t b) {
  return static_cast<int64_t>((static_cast<__int128>(a) * b) >> 32);
}

// Returns the multipliers that step exactly where the reference does, for one offset.
Limits limits_for(const std::vector<OutputStep>& steps, const AccumulatorRange& range,
                  const FusedForm& form, int64_t offset) {
  Limits limits{0, form.most()};
  for (const OutputStep& step : steps) {
    const int64_t target = (int64_t{step.level} << form.right) - offset;
    if (step.first <= range.high) limits.reach(form.factor(step.first), target);
    if (step.first > range.low) limits.stay_below(form.factor(step.first - 1), target);
    if (limits.empty()) break;
  }
  return limits;
}

}  // namespace

int32_t multiply_by_quantized_multiplier(int32_t value, int32_t multiplier, int shift) {
  const int left = std::max(shift, 0), right = std::max(-shift, 0);
  const auto shifted = static_cast<int32_t>(static_cast<uint32_t>(value) << left);
  return rounding_divide_by_power(rounding_doubling_high_multiply(shifted, multiplier), right);
}

int32_t scale_half_to_even(int32_t value, int32_t multiplier, int shift) {
  const float scale = std::ldexp(static_cast<float>(multiplier), shift - 31);
  constexpr float kMost = 1 << 30;
  return static_cast<int32_t>(
      std::nearbyint(std::clamp(static_cast<float>(value) * scale, -kMost, kMost)));
}

int8_t add_zero_point(int32_t scaled, int32_t zero_point, int low, int high) {
  return static_cast<int8_t>(std::clamp<int64_t>(int64_t{scaled} + zero_point, low, high));
}

int8_t requantise_reference(const Workload& w, int32_t accumulator, int32_t multiplier, int shift) {
  const int32_t scaled = w.rounding == Rounding::kHalfToEven
                             ? scale_half_to_even(accumulator, multiplier, shift)
                             : multiply_by_quantized_multiplier(accumulator, multiplier, shift);
  return add_zero_point(scaled, w.output_zero_point, w.activation_min, w.activation_max);
}

int8_t requantise_reference(const Workload& w, const LayerData& data, size_t channel,
                            int32_t accumulator) {
  if (w.rounding != Rounding::kMultiplyAdd)
    return requantise_reference(w, accumulator, data.multiplier[channel], data.shift[channel]);
  const __int128 sum =
      static_cast<__int128>(accumulator) * data.multiplier[channel] + data.addend[channel];
  const auto level =
      static_cast<__int128>(w.output_zero_point) + (sum >> (31 - data.shift[channel]));
  return static_cast<int8_t>(std::clamp<__int128>(level, w.activation_min, w.activation_max));
}

// The step is close to its position in real arithmetic, so two probes there save most of the
// bisection.
int64_t first_reaching(const Workload& w, const AccumulatorRange& range, const LayerData& data,
                       size_t channel, int level) {
  int64_t below = range.low - 1, reaching = range.high + 1;
  const auto look_at = [&](int64_t accumulator) {
    const bool reaches =
        requantise_reference(w, data, channel, static_cast<int32_t>(accumulator)) >= level;
    (reaches ? reaching : below) = accumulator;
  };
  const double real =
      (level - w.output_zero_point - raised_by(data, channel)) / scale_of(data, channel);
  if (real > static_cast<double>(range.low) && real < static_cast<double>(range.high))
    for (const int64_t near : {std::llround(real) - 2, std::llround(real) + 2})
      if (near > below && near < reaching) look_at(near);
  while (reaching - below > 1) look_at(below + (reaching - below) / 2);
  return reaching;
}

std::vector<OutputStep> output_steps(const Workload& w, const AccumulatorRange& range,
                                     const LayerData& data, size_t channel, int lowest,
                                     int highest) {
  std::vector<OutputStep> steps;
  for (int level = lowest + 1; level <= highest; ++level)
    steps.push_back({level, first_reaching(w, range, data, channel, level)});
  return steps;
}

double scale_of(const LayerData& data, size_t channel) {
  return std::ldexp(data.multiplier[channel], data.shift[channel] - 31);
}

double raised_by(const LayerData& data, size_t channel) {
  return data.addend.empty()
             ? 0.5
             : std::ldexp(static_cast<double>(data.addend[channel]), data.shift[channel] - 31);
}

std::vector<int8_t> channel_weights(const Workload& w, const LayerData& data, int channel) {
  const auto n = static_cast<size_t>(w.reduction());
  std::vector<int8_t> weights(n);
  for (size_t i = 0; i < n; ++i)
    weights[i] = w.op == OpKind::kDepthwiseConv2d
                     ? data.weights[i * static_cast<size_t>(w.out_c) + static_cast<size_t>(channel)]
                     : data.weights[static_cast<size_t>(channel) * n + i];
  return weights;
}

std::vector<AccumulatorRange> accumulator_ranges(const Workload& w, const LayerData& data) {
  std::vector<AccumulatorRange> ranges;
  const int64_t least = -128 - w.input_zero_point, most = 127 - w.input_zero_point;
  for (int c = 0; c < w.out_c; ++c) {
    AccumulatorRange r{data.bias[static_cast<size_t>(c)], data.bias[static_cast<size_t>(c)]};
    for (int8_t weight : channel_weights(w, data, c)) {
      // A tap on padding contributes zero, which lies between the two products.
      r.low += std::min({weight * least, weight * most, int64_t{0}});
      r.high += std::max({weight * least, weight * most, int64_t{0}});
    }
    ranges.push_back(r);
  }
  return ranges;
}

AccumulatorRange whole_range(const std::vector<AccumulatorRange>& ranges) {
  AccumulatorRange whole = ranges.front();
  for (const AccumulatorRange& range : ranges)
    whole = {std::min(whole.low, range.low), std::max(whole.high, range.high)};
  return whole;
}

int right_shift(const LayerData& data, int channel) {
  const auto c = static_cast<size_t>(channel);
  return data.multiplier[c] == 0 ? 1 : -data.shift[c];
}

bool short_requantise_proved(const Workload& w, const LayerData& data) {
  return scales_without_overflow(data, accumulator_ranges(w, data), 1);
}

bool shifted_requantise_proved(const Workload& w, const LayerData& data) {
  return scales_without_overflow(data, accumulator_ranges(w, data), -30);
}

namespace {

struct FusedChannel {
  int32_t multiplier, offset;
};

// Finds constants that step where the reference does with this channel's scale, on all of `range`.
std::optional<FusedChannel> fuse_channel(const Workload& w, const LayerData& data, size_t channel,
                                         const AccumulatorRange& range, const FusedForm& form) {
  const int right = form.right;
  const std::vector<OutputStep> steps =
      output_steps(w, range, data, channel, w.activation_min, w.activation_max);
  // The reference compares acc * m / 2^31 with (2k - 1) * 2^(s-1) - 1/2. This offset is equivalent
  // if the multiplier keeps all its bits; a shorter multiplier may need a neighbouring offset.
  const int rest = right - right_shift(data, static_cast<int>(channel)) - 1;
  const double raised = std::floor(std::ldexp(raised_by(data, channel), right));
  if (std::abs(raised) > INT32_MAX) return std::nullopt;
  const int64_t middle =
      (int64_t{w.output_zero_point} << right) + static_cast<int64_t>(raised) +
      (w.rounding != Rounding::kMultiplyAdd && rest >= 0 && rest < 31 ? int64_t{1} << rest : 0);
  // Product of the origin, subtracted from the offset.
  const int64_t of_origin =
      high_word(form.factor(0), std::llround(form.multiplier(scale_of(data, channel))));
  for (int64_t attempt = 0; attempt <= 64; ++attempt) {
    const int64_t offset = middle + (attempt % 2 == 0 ? attempt / 2 : -(attempt / 2 + 1));
    if (offset < INT32_MIN / 2 || offset > INT32_MAX / 2) return std::nullopt;
    const Limits limits = limits_for(steps, range, form, offset - of_origin);
    if (limits.empty()) continue;
    // The result plus offset must not wrap at either end of the range.
    const int64_t m = limits.low + (limits.high - limits.low) / 2;
    for (const int64_t end : {range.low, range.high})
      if (std::abs(high_word(form.factor(end), m) - of_origin) + std::abs(offset) > INT32_MAX)
        return std::nullopt;
    if (offset - of_origin < INT32_MIN || offset - of_origin > INT32_MAX) return std::nullopt;
    return FusedChannel{static_cast<int32_t>(m), static_cast<int32_t>(offset - of_origin)};
  }
  return std::nullopt;
}

// Returns whether the reference is a monotone step function: no step of it overflows.
bool has_steps(const Workload& w, const LayerData& data,
               const std::vector<AccumulatorRange>& ranges) {
  if (w.rounding == Rounding::kTwice && !scales_without_overflow(data, ranges, -30)) return false;
  return std::all_of(ranges.begin(), ranges.end(), [](const AccumulatorRange& range) {
    return range.low >= INT32_MIN && range.high <= INT32_MAX;
  });
}

double largest_scale_of(const LayerData& data) {
  double largest = 0;
  for (size_t c = 0; c < data.multiplier.size(); ++c)
    largest = std::max(largest, scale_of(data, c));
  return largest;
}

bool has_multiplier(double scale, const FusedForm& form) {
  return form.multiplier(scale) < static_cast<double>(form.most());
}

// Returns the largest `right` for which scale = multiplier * 2^(left - 32 - right) has a multiplier
// within the form: the more bits it has, the closer its steps are to the reference's. 0: none.
int largest_right_shift(double largest_scale, FusedForm form) {
  form.right = 1;
  while (form.right <= 24 && has_multiplier(largest_scale, form)) ++form.right;
  return form.right - 1;
}

bool scaled_alike(const LayerData& data) {
  for (size_t c = 1; c < data.multiplier.size(); ++c)
    if (data.multiplier[c] != data.multiplier[0] || data.shift[c] != data.shift[0] ||
        (!data.addend.empty() && data.addend[c] != data.addend[0]))
      return false;
  return true;
}

}  // namespace

std::optional<FusedRequantise> fuse_requantise(const Workload& w, const LayerData& data) {
  const auto ranges = accumulator_ranges(w, data);
  const double largest_scale = largest_scale_of(data);
  if (!has_steps(w, data, ranges) || largest_scale <= 0) return std::nullopt;
  int64_t largest = 1;
  for (const AccumulatorRange& range : ranges)
    largest = std::max({largest, std::abs(range.low), std::abs(range.high)});

  FusedRequantise fused;
  while (fused.left < 30 && (largest << (fused.left + 1)) <= INT32_MAX) ++fused.left;
  fused.right = largest_right_shift(largest_scale, {.left = fused.left});
  if (fused.right == 0) return std::nullopt;

  if (scaled_alike(data)) {
    // Constants that are exact on the union of the ranges are exact for each channel.
    const AccumulatorRange whole = whole_range(ranges);
    for (const auto& [left, right] :
         {std::pair(kLayerLeft, kLayerRight), std::pair(fused.left, fused.right)}) {
      if (left > fused.left || !has_multiplier(largest_scale, {left, right})) continue;
      const auto all = fuse_channel(w, data, 0, whole, {left, right});
      if (!all) continue;
      fused.left = left, fused.right = right;
      fused.multiplier.assign(ranges.size(), all->multiplier);
      fused.offset.assign(ranges.size(), all->offset);
      return fused;
    }
  }
  for (size_t c = 0; c < ranges.size(); ++c) {
    const auto channel = fuse_channel(w, data, c, ranges[c], {fused.left, fused.right});
    if (!channel) return std::nullopt;
    fused.multiplier.push_back(channel->multiplier);
    fused.offset.push_back(channel->offset);
  }
  return fused;
}

std::optional<FusedRequantise> fuse_requantise_from(const Workload& w, const LayerData& data,
                                                    const UnsignedMultiply& multiply,
                                                    const std::vector<int64_t>& origin) {
  const auto ranges = accumulator_ranges(w, data);
  const double largest_scale = largest_scale_of(data);
  if (!has_steps(w, data, ranges) || largest_scale <= 0) return std::nullopt;
  for (size_t c = 0; c < ranges.size(); ++c)
    if (ranges[c].low + origin[c] < 0 || (ranges[c].high + origin[c]) >> multiply.bits != 0)
      return std::nullopt;
  FusedForm form{.left = multiply.left, .multiplier_bits = multiply.multiplier_bits};
  // Unsigned numbers are up to twice as large, so the result may need a bit or two more.
  const int most = largest_right_shift(largest_scale, form);
  for (form.right = most; form.right > std::max(0, most - 3); --form.right) {
    FusedRequantise fused{form.left, form.right, {}, {}};
    for (size_t c = 0; c < ranges.size(); ++c) {
      form.origin = origin[c];
      const auto channel = fuse_channel(w, data, c, ranges[c], form);
      if (!channel) break;
      fused.multiplier.push_back(channel->multiplier);
      fused.offset.push_back(channel->offset);
    }
    if (fused.offset.size() == ranges.size()) return fused;
  }
  return std::nullopt;
}

std::optional<FusedWeights> fuse_into_weights(const Workload& w, const LayerData& data, int right) {
  constexpr int kMostLeft = 8;
  const auto ranges = accumulator_ranges(w, data);
  if (!has_steps(w, data, ranges)) return std::nullopt;
  FusedWeights fused;
  for (size_t c = 0; c < ranges.size(); ++c) {
    FusedForm form{.right = right};
    const int64_t largest = std::max(std::abs(ranges[c].low), std::abs(ranges[c].high));
    while (form.left < kMostLeft && largest << (form.left + 1) <= INT32_MAX) ++form.left;
    if (!has_multiplier(scale_of(data, c), form)) return std::nullopt;
    const auto channel = fuse_channel(w, data, c, ranges[c], form);
    if (!channel) return std::nullopt;
    fused.left.push_back(form.left);
    fused.multiplier.push_back(channel->multiplier);
    fused.offset.push_back(channel->offset);
  }
  return fused;
}

}  // namespace tinytune
