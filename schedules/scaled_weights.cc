#include "schedules/scaled_weights.h"

#include <algorithm>
#include <cmath>

#include "schedules/requantise.h"

namespace tinytune {
namespace {

constexpr int64_t kLeast = INT32_MIN, kMost = INT32_MAX;
constexpr int64_t kMostFactors = 1 << 14;  // factors in the first search
constexpr int64_t kMostOfAll = 1 << 16;    // factors in the second search, if the first fails
constexpr int64_t kLeastPart = 16;         // second search: down to 1/16 of the largest factor
constexpr size_t kMostTried = 64;

// Search for one channel's constants.
class Channel {
 public:
  Channel(const Workload& w, const LayerData& data, size_t channel, const AccumulatorRange& range,
          int right)
      : range_(range), right_(right) {
    const auto output = [&](int64_t accumulator) {
      return int{requantise_reference(w, data, channel, static_cast<int32_t>(accumulator))};
    };
    lowest_ = output(range.low);
    steps_ = output_steps(w, range, data, channel, lowest_, output(range.high));
    scale_ = scale_of(data, channel);
    // Accumulator at which the scaled sum plus offset is zero.
    if (scale_ > 0) zero_at_ = -(w.output_zero_point + raised_by(data, channel)) / scale_;
  }

  std::optional<ScaledChannel> find() const {
    if (steps_.empty()) return always(lowest_);
    const double reach = std::max(std::abs(static_cast<double>(range_.low) - zero_at_),
                                  std::abs(static_cast<double>(range_.high) - zero_at_));
    const auto most = static_cast<int64_t>(static_cast<double>(kMost) / std::max(reach, 1.0));
    const double ideal_product = std::ldexp(scale_, 32 + right_);
    double least_error = 1;
    for (int64_t f = most; f > most / 2 && f > most - kMostFactors; --f) {
      const double ideal = ideal_product / static_cast<double>(f);
      const double multiplier = std::round(ideal);
      if (multiplier < 1 || multiplier > static_cast<double>(kMost)) continue;
      const double error = std::abs(multiplier - ideal) / ideal;
      if (error >= least_error) continue;
      least_error = error;
      if (const auto offset = offset_for(f, static_cast<int64_t>(multiplier)))
        return ScaledChannel{static_cast<int32_t>(f), *offset, static_cast<int32_t>(multiplier)};
    }
    return find_among_nearest(most, ideal_product);
  }

 private:
  // Also tries smaller factors, and factors that are not the most precise so far: a less precise
  // one may happen to step where the reference does. Rarely needed, and slower.
  std::optional<ScaledChannel> find_among_nearest(int64_t most, double ideal_product) const {
    struct Factor {
      double error;
      int64_t factor, multiplier;
    };
    std::vector<Factor> factors;
    for (int64_t f = most; f > most / kLeastPart && f > most - kMostOfAll; --f) {
      const double ideal = ideal_product / static_cast<double>(f);
      const double multiplier = std::round(ideal);
      if (multiplier >= 1 && multiplier <= static_cast<double>(kMost))
        factors.push_back(
            {std::abs(multiplier - ideal) / ideal, f, static_cast<int64_t>(multiplier)});
    }
    const auto tried = static_cast<std::ptrdiff_t>(std::min(kMostTried, factors.size()));
    std::partial_sort(factors.begin(), factors.begin() + tried, factors.end(),
                      [](const Factor& a, const Factor& b) { return a.error < b.error; });
    for (auto at = factors.begin(); at != factors.begin() + tried; ++at)
      if (const auto offset = offset_for(at->factor, at->multiplier))
        return ScaledChannel{static_cast<int32_t>(at->factor), *offset,
                             static_cast<int32_t>(at->multiplier)};
    return std::nullopt;
  }

  // Constant output: mulh(level << (right + 2), 2^30) is level << right.
  std::optional<ScaledChannel> always(int level) const {
    const int64_t offset = int64_t{level} * (int64_t{1} << (right_ + 2));
    if (offset < kLeast || offset > kMost) return std::nullopt;
    return ScaledChannel{0, static_cast<int32_t>(offset), 1 << 30};
  }

  // Returns the middle of the offsets with which outputs step where the reference's do and no sum
  // overflows a word.
  std::optional<int32_t> offset_for(int64_t factor, int64_t multiplier) const {
    int64_t low = kLeast - range_.low * factor, high = kMost - range_.high * factor;
    for (const OutputStep& step : steps_) {
      // The least scaled sum that reaches the level.
      const __int128 target = static_cast<__int128>(step.level) << (32 + right_);
      const auto least =
          static_cast<int64_t>(target > 0 ? (target - 1) / multiplier + 1 : target / multiplier);
      low = std::max(low, least - step.first * factor);
      high = std::min(high, least - 1 - (step.first - 1) * factor);
    }
    if (low > high) return std::nullopt;
    return static_cast<int32_t>(static_cast<uint32_t>(low + (high - low) / 2));
  }

  AccumulatorRange range_;
  int right_;
  int lowest_ = 0;  // output
  std::vector<OutputStep> steps_;
  double scale_ = 0, zero_at_ = 0;
};

}  // namespace

std::optional<std::vector<ScaledChannel>> scale_weights(const Workload& w, const LayerData& data,
                                                        int right) {
  std::vector<ScaledChannel> channels;
  const auto ranges = accumulator_ranges(w, data);
  for (size_t c = 0; c < ranges.size(); ++c) {
    if (ranges[c].low < kLeast || ranges[c].high > kMost) return std::nullopt;
    const auto channel = Channel(w, data, c, ranges[c], right).find();
    if (!channel) return std::nullopt;
    channels.push_back(*channel);
  }
  return channels;
}

}  // namespace tinytune
