// Requantisation of what lanes hold (fuse_requantise_from()), whole or with a multiplier in parts,
// against the reference, number by number.

#include "templates/lanes/multiplier_parts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "schedules/requantise.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

TEST(MultiplierParts, OfEveryWidth_AddUpToTheMultiplier) {
  Rng rng(5);
  for (int bits = 17; bits <= 24; ++bits) {
    const MultiplierParts parts(bits);
    const UnsignedMultiply multiply = parts.multiply();
    const int part_bits = 32 - bits;
    for (int i = 0; i < 100; ++i) {
      const auto all = (uint64_t{1} << multiply.multiplier_bits) - 1;
      const uint64_t multiplier = i == 0 ? all : rng.below(all);
      const auto words = parts.words_of(static_cast<int32_t>(multiplier));
      ASSERT_EQ(words.size(), static_cast<size_t>(parts.words()));
      // Computes the product of the largest sum as kernels do.
      const uint32_t sum = (1u << bits) - 1;
      uint32_t product = 0;
      for (int part = parts.count(); part-- > 0;) {
        const auto word = static_cast<uint32_t>(words[static_cast<size_t>(part / 2)]);
        const uint32_t factor = part % 2 == 0 ? word & 0xffff : word >> 16;
        product = (product >> part_bits) + sum * factor;
      }
      ASSERT_EQ(product, uint64_t{sum} * multiplier >> (32 - multiply.left)) << bits;
    }
  }
}

const char* const kShape =
    "conv2d_s8 nhwc n1 in7x5x9 out7x5x7 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 lane1 "
    "long";

// Checks the proof's constants on every reachable accumulator; returns how many layers were proved.
int try_every_number(const UnsignedMultiply& multiply) {
  int proved = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomLayer layer = random_layer(*parse_workload(kShape), Scales::kTypical, 2000 + seed);
    const Workload& w = layer.workload;
    std::vector<int64_t> origin;
    const auto ranges = accumulator_ranges(w, layer.data);
    for (const AccumulatorRange& range : ranges)
      origin.push_back((1 << (multiply.bits - 1)) - (range.low + range.high) / 2);
    const auto fused = fuse_requantise_from(w, layer.data, multiply, origin);
    if (!fused) continue;
    ++proved;
    for (size_t c = 0; c < ranges.size(); ++c)
      for (int64_t acc = ranges[c].low; acc <= ranges[c].high; ++acc) {
        const auto u = static_cast<uint64_t>(acc + origin[c]);
        const auto high = static_cast<uint32_t>(u * static_cast<uint32_t>(fused->multiplier[c]) >>
                                                (32 - multiply.left));
        const auto sum =
            static_cast<int32_t>(high + static_cast<uint32_t>(fused->offset[c])) >> fused->right;
        const int expected = requantise_reference(w, static_cast<int32_t>(acc),
                                                  layer.data.multiplier[c], layer.data.shift[c]);
        EXPECT_EQ(std::clamp(sum, w.activation_min, w.activation_max), expected)
            << "seed " << seed << " channel " << c << " accumulator " << acc;
      }
    if (testing::Test::HasFailure()) return proved;
  }
  return proved;
}

TEST(FusedFromAnOrigin, AgreesWithTheReference_OnEveryReachableNumber) {
  EXPECT_GE(try_every_number({.bits = 18, .left = 14}), 15);
}

TEST(FusedFromAnOrigin, WithAMultiplierInParts_AgreesToo) {
  for (const int bits : {18, 19, 21, 23})
    EXPECT_GE(try_every_number(MultiplierParts(bits).multiply()), 15) << bits;
}

}  // namespace
}  // namespace tinytune
