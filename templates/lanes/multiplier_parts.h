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

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/requantise.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

class MultiplierParts {
 public:
  /// Of sums in [0, 2^`bits`), at least 17 bits of them.
  explicit MultiplierParts(int bits)
      : sum_bits_(bits),
        part_bits_(32 - bits),
        count_(bits <= kBitsForTwo ? 2 : (kMultiplierBits + part_bits_ - 1) / part_bits_) {}

  int count() const { return count_; }
  /// What a channel's multiplier must be found for.
  UnsignedMultiply multiply() const {
    return {.bits = sum_bits_,
            .left = 32 - (count_ - 1) * part_bits_,
            .multiplier_bits = std::min(kMultiplierBits, count_ * part_bits_)};
  }

  /// The words that a channel's parts take.
  int words() const { return (count_ + 1) / 2; }
  /// Those of a multiplier: from the top, two parts to a word, the upper one below.
  std::vector<int32_t> words_of(int32_t multiplier) const {
    std::vector<int32_t> words(static_cast<size_t>(this->words()));
    const int32_t mask = (1 << part_bits_) - 1;
    for (int i = 0; i < count_; ++i) {
      const int32_t part = multiplier >> ((count_ - 1 - i) * part_bits_) & mask;
      words[static_cast<size_t>(i / 2)] |= part << (i % 2 * 16);
    }
    return words;
  }

  Values load(const Value& address, IrText& ir) const {
    Values parts;
    for (int i = 0; i < count_; ++i) parts.push_back(ir.load_half(ir.at(address, 2 * i)));
    return parts;
  }
  /// floor(sum * multiplier / 2^(32 - multiply().left)).
  Value product(const Values& parts, const Value& sum, IrText& ir) const {
    Value product = ir.mul(sum, parts.back());
    for (size_t i = parts.size() - 1; i-- > 0;)
      product = ir.add(ir.shift_right_unsigned(product, part_bits_), ir.mul(sum, parts[i]));
    return product;
  }

 private:
  static constexpr int kMultiplierBits = 31;  // of a whole one
  static constexpr int kBitsForTwo = 20;      // up to which two parts are enough

  int sum_bits_, part_bits_, count_;
};

}  // namespace tinytune
