#include "templates/lanes/multiplier_parts.h"

#include <algorithm>

namespace tinytune {
namespace {

constexpr int kMultiplierBits = 31;  // of a whole one
constexpr int kBitsForTwo = 20;      // up to which two parts are enough

}  // namespace

MultiplierParts::MultiplierParts(int bits)
    : sum_bits_(bits),
      part_bits_(32 - bits),
      count_(bits <= kBitsForTwo ? 2 : (kMultiplierBits + part_bits_ - 1) / part_bits_) {}

UnsignedMultiply MultiplierParts::multiply() const {
  return {.bits = sum_bits_,
          .left = 32 - (count_ - 1) * part_bits_,
          .multiplier_bits = std::min(kMultiplierBits, count_ * part_bits_)};
}

// From the top, two to a word, the upper one below.
std::vector<int32_t> MultiplierParts::words_of(int32_t multiplier) const {
  std::vector<int32_t> words(static_cast<size_t>(this->words()));
  const int32_t mask = (1 << part_bits_) - 1;
  for (int i = 0; i < count_; ++i) {
    const int32_t part = multiplier >> ((count_ - 1 - i) * part_bits_) & mask;
    words[static_cast<size_t>(i / 2)] |= part << (i % 2 * 16);
  }
  return words;
}

IrText::Values MultiplierParts::load(const Value& address, IrText& ir) const {
  Values parts;
  for (int i = 0; i < count_; ++i) parts.push_back(ir.load_half(ir.at(address, 2 * i)));
  return parts;
}

IrText::Value MultiplierParts::product(const Values& parts, const Value& sum, IrText& ir) const {
  Value product = ir.mul(sum, parts.back());
  for (size_t i = parts.size() - 1; i-- > 0;)
    product = ir.add(ir.shift_right_unsigned(product, part_bits_), ir.mul(sum, parts[i]));
  return product;
}

}  // namespace tinytune
