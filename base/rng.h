// A seeded generator with a fixed sequence: searches and tests must replay on any machine.
//
// The distributions of <random> differ between standard libraries, so the few needed are here.
// Generator: SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
// generators").
#pragma once

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/hash.h"

namespace tinytune {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  /// Returns an independent stream for a named purpose, so that a new consumer changes no other
  /// stream.
  Rng fork(std::string_view purpose) const { return Rng(state_ ^ fnv1a(purpose)); }

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound); bound > 0. The bias is below 2^-32 for every bound used here.
  uint64_t below(uint64_t bound) {
    TT_CHECK(bound > 0, "an empty range has no members");
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  uint64_t state_;
};

}  // namespace tinytune
