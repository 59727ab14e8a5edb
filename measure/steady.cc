#include "measure/steady.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tinytune {
namespace {

constexpr int kLeastCalls = 2;
constexpr int kLeastForAnInterval = 6;
constexpr int kCallsAtATime = 4;
constexpr double kEqual = 0.001, kSteady = 0.01;  // shares of the median
constexpr double kTail = 0.025;

// Returns how many sorted samples lie outside the confidence interval on each side: the largest k
// for which `count` fair coin tosses show at most k heads with a probability of at most 2.5 %.
size_t samples_outside(size_t count) {
  double probability = std::pow(0.5, static_cast<double>(count)), tail = 0;
  size_t outside = 0;
  while (tail + probability <= kTail) {
    tail += probability;
    probability *= static_cast<double>(count - outside) / static_cast<double>(outside + 1);
    ++outside;
  }
  return outside == 0 ? 0 : outside - 1;
}

}  // namespace

std::optional<double> median_uncertainty(std::span<const uint64_t> cycles) {
  if (cycles.size() < kLeastForAnInterval) return std::nullopt;
  std::vector<uint64_t> sorted(cycles.begin(), cycles.end());
  std::ranges::sort(sorted);
  const auto at = [&](size_t rank) { return static_cast<double>(sorted[rank]); };
  const size_t outside = samples_outside(sorted.size());
  const double median = at((sorted.size() - 1) / 2);
  return std::max(median - at(outside), at(sorted.size() - 1 - outside) - median) / median;
}

int calls_wanted(std::span<const uint64_t> cycles) {
  const int calls = static_cast<int>(cycles.size());
  if (calls < kLeastCalls) return kLeastCalls - calls;
  const auto [least, most] = std::ranges::minmax(cycles);
  if (static_cast<double>(most - least) <= kEqual * static_cast<double>(least)) return 0;
  if (calls < kLeastForAnInterval) return kLeastForAnInterval - calls;
  if (calls >= kMostCalls || *median_uncertainty(cycles) <= kSteady) return 0;
  return std::min(kCallsAtATime, kMostCalls - calls);
}

}  // namespace tinytune
