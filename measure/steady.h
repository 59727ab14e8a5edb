// Decides when a kernel has been called often enough for the median of its cycles to be reliable.
//
// From tightly coupled RAM two calls agree to the cycle, and then two are enough. If they differ
// (caches, flash behind a bus, interrupts), calls continue until a rank-based confidence interval
// puts the true median within 1 %, or up to 30 calls. Ranks assume no distribution: if one call in
// ten takes twice as long, neither the median nor its interval moves; only more calls are needed.
// No sample is ever dropped: a record has all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tinytune {

inline constexpr int kMostCalls = 30;

/// Returns the larger distance of the two ends of the median's 95 % confidence interval from it, as
/// a share of the median. The ends are order statistics chosen by the binomial distribution with
/// p = 1/2. Nothing: fewer than six samples.
/// Method: Le Boudec, Performance Evaluation of Computer and Communication Systems, 2.2.2.
std::optional<double> median_uncertainty(std::span<const uint64_t> cycles);

/// Returns how many more calls are needed; 0: none.
int calls_wanted(std::span<const uint64_t> cycles);

}  // namespace tinytune
