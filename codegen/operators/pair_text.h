// Products of two pairs at a time as C text, for cores that have them (Arm's DSP extension).
//
// The text is the same for every device, and the compiler's macros decide: behind kIfPairs is
// assembly, behind #else plain C with the same sums. A pair is the two halves of a word. Names end
// in 0 for bytes 0 and 2 of a word and in 1 for bytes 1 and 3.
#pragma once

#include <string>

#include "codegen/operators/c_writer.h"

namespace tinytune {

inline constexpr const char* kIfPairs = "#if defined(__ARM_FEATURE_DSP) && defined(__GNUC__)";

/// Four bytes of a word as two pairs, `offset` added to each.
struct WidenedWord {
  std::string name;  ///< of the pairs: <name>_0 and <name>_1
  std::string word;  ///< a C expression
  int offset = 0;    ///< of at most 16 bits
};
void print_widened(CWriter& w, const WidenedWord& widened);

/// sum += a_0 * b_0 + a_1 * b_1, each the sum of a pair's products, modulo 2^32.
void print_pair_products(CWriter& w, const std::string& a, const std::string& b,
                         const std::string& sum);

/// sum += the products of pairs `a` and `b`, C expressions; modulo 2^32, or of 64 bits.
void print_pair_product(CWriter& w, const std::string& a, const std::string& b,
                        const std::string& sum, bool is_long);

}  // namespace tinytune
