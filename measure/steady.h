// When a kernel has been called often enough for the median of its cycles to be believed.
//
// From tightly coupled RAM two calls agree to the cycle, and then two are enough. Where they do not
// (caches, a flash behind a bus, interrupts), calls go on until ranks say that the true median lies
// within one per cent, or until there have been thirty. Ranks know of no distribution: one call in
// ten that took twice as long moves neither the median nor its interval, it only takes more calls.
// What was counted is never dropped: a record has all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tinytune {

inline constexpr int kMostCalls = 30;

/// How far from the median the ends of its 95 % confidence interval lie, as a share of it: the
/// order statistics between which a fair coin's count falls. Nothing: fewer than six samples.
/// Method: Le Boudec, Performance Evaluation of Computer and Communication Systems, 2.2.2.
std::optional<double> median_uncertainty(std::span<const uint64_t> cycles);

/// How many more calls are wanted; 0: it is enough.
int calls_wanted(std::span<const uint64_t> cycles);

}  // namespace tinytune
