// A multiply-high of short parts, for cores whose products are words.
//
// Of a sum of few bits times a multiplier of many, the fused requantisation
// (schedules/requantise.h) keeps the upper bits. A sum leaves 32 - bits of a word free: so long may
// a part of the multiplier be for its product to fit a word. From the lowest part up, each product
// is added to what is left of those below, shifted right by a part's bits. Nothing is lost on the
// way: the floors of quotients by powers of two compose.
//
// Two parts take five instructions where a whole multiply-high takes twenty. They have 24 bits
// together where sums have 20, and more where those have fewer, which is nearly always exact; wider
// sums get as many parts as the whole multiplier takes.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/requantise.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

class MultiplierParts {
 public:
  using Value = IrText::Value;
  using Values = IrText::Values;

  /// Of sums in [0, 2^`bits`), at least 17 bits of them.
  explicit MultiplierParts(int bits);

  int count() const { return count_; }
  /// What a channel's multiplier must be found for.
  UnsignedMultiply multiply() const;

  /// The words that a channel's parts take, and those of a multiplier.
  int words() const { return (count_ + 1) / 2; }
  std::vector<int32_t> words_of(int32_t multiplier) const;

  Values load(const Value& address, IrText& ir) const;
  /// floor(sum * multiplier / 2^(32 - multiply().left)).
  Value product(const Values& parts, const Value& sum, IrText& ir) const;

 private:
  int sum_bits_, part_bits_, count_;
};

}  // namespace tinytune
