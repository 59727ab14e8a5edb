#include "schedules/stepped_requantise.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "schedules/requantise.h"

namespace tinytune {
namespace {

// Returns half a unit in the last place of a float at the tie above level `k`, in units of 2^-31.
int band(int k) {
  const auto twice = static_cast<unsigned>(std::abs(2 * k + 1));  // twice the tie's magnitude
  return 1 << (std::bit_width(twice) - 2 + 7);
}

SteppedLevels levels_of(const Workload& w) {
  SteppedLevels levels{};
  for (int k = w.activation_min - w.output_zero_point - 1;
       k <= w.activation_max - w.output_zero_point; ++k)
    levels[static_cast<uint8_t>(k)] =
        static_cast<int16_t>(k % 2 == 0 ? band(k) : -band(k) - 1);  // an odd level's tie goes up
  return levels;
}

int8_t stepped(const Workload& w, const SteppedLevels& levels, int64_t accumulator,
               int32_t multiplier, int right) {
  const int64_t product = accumulator * multiplier;
  const auto k = static_cast<int32_t>(product >> (32 + right));
  const auto fraction = static_cast<uint32_t>(product >> right);
  const int32_t above = static_cast<int32_t>(fraction + 0x80000000u) >> 1;
  return add_zero_point(k + (above > levels[static_cast<uint8_t>(k)] ? 1 : 0), w.output_zero_point,
                        w.activation_min, w.activation_max);
}

}  // namespace

std::optional<SteppedLevels> step_requantise(const Workload& w, const LayerData& data) {
  if (w.rounding != Rounding::kHalfToEven) return std::nullopt;
  const SteppedLevels levels = levels_of(w);
  const auto ranges = accumulator_ranges(w, data);
  for (size_t c = 0; c < ranges.size(); ++c) {
    const int shift = right_shift(data, static_cast<int>(c)), right = shift - 1;
    const bool dead = data.multiplier[c] == 0;
    if (ranges[c].low < INT32_MIN || ranges[c].high > INT32_MAX) return std::nullopt;
    if (dead) continue;
    if (shift < kLeastSteppedShift || shift > 31) return std::nullopt;
    // Both functions are monotone, so they are equal if they agree on both sides of every step.
    const auto differs = [&](int64_t accumulator) {
      return accumulator >= ranges[c].low && accumulator <= ranges[c].high &&
             stepped(w, levels, accumulator, data.multiplier[c], right) !=
                 requantise_reference(w, static_cast<int32_t>(accumulator), data.multiplier[c],
                                      data.shift[c]);
    };
    if (differs(ranges[c].low) || differs(ranges[c].high)) return std::nullopt;
    for (int level = w.activation_min + 1; level <= w.activation_max; ++level) {
      const int64_t first = first_reaching(w, ranges[c], data, c, level);
      if (differs(first) || differs(first - 1)) return std::nullopt;
    }
  }
  return levels;
}

}  // namespace tinytune
