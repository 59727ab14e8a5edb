// A multiply-high in short parts, for cores that multiply to the low word only.
//
// The fused requantisation (schedules/requantise.h) keeps the upper bits of a short sum times a
// long multiplier. The multiplier is cut into parts of 32 - bits bits, where bits is the width of
// sums, so that a sum times a part fits a word. From the lowest part up, the result so far is
// shifted right by a part's bits and the next product is added. This is exact: the floors of
// quotients by powers of two compose.
//
// Two parts take five instructions; a whole multiply-high takes twenty. Two parts have 24 bits if
// sums have 20, more if sums are shorter, which is nearly always exact. Wider sums get as many
// parts as the whole multiplier takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/requantise.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

class MultiplierParts {
 public:
  /// For sums in [0, 2^`bits`), at least 17 bits.
  explicit MultiplierParts(int bits)
      : sum_bits_(bits),
        part_bits_(32 - bits),
        count_(bits <= kBitsForTwo ? 2 : (kMultiplierBits + part_bits_ - 1) / part_bits_) {}

  int count() const { return count_; }
  /// Returns the multiplication that a channel's multiplier must be found for.
  UnsignedMultiply multiply() const {
    return {.bits = sum_bits_,
            .left = 32 - (count_ - 1) * part_bits_,
            .multiplier_bits = std::min(kMultiplierBits, count_ * part_bits_)};
  }

  /// Returns the number of words that a channel's parts take.
  int words() const { return (count_ + 1) / 2; }
  /// Packs a multiplier's parts from the top, two per word, the upper part in the low half.
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
  /// Returns floor(sum * multiplier / 2^(32 - multiply().left)).
  Value product(const Values& parts, const Value& sum, IrText& ir) const {
    Value product = ir.mul(sum, parts.back());
    for (size_t i = parts.size() - 1; i-- > 0;)
      product = ir.add(ir.shift_right_unsigned(product, part_bits_), ir.mul(sum, parts[i]));
    return product;
  }

 private:
  static constexpr int kMultiplierBits = 31;  // of a whole multiplier
  static constexpr int kBitsForTwo = 20;      // widest sums for which two parts suffice

  int sum_bits_, part_bits_, count_;
};

}  // namespace tinytune
