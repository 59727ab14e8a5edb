// Register-blocked dot products of bytes as C text: a block is some rows of one side by some
// columns of the other, so that each loaded element is multiplied by all of the other side's.
//
// If terms are contiguous whole words, cores with Arm's DSP extension widen four of them and add
// the zero point with two instructions, and multiply them with two more (pair_text.h); all others
// compute the same sums element by element.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "codegen/operators/c_writer.h"

namespace tinytune {

struct DotSide {
  std::string from;        ///< a C expression: the first term of the first row or column
  int64_t step = 0;        ///< from one row or column to the next, in elements
  int64_t depth_step = 1;  ///< from a term to the next
  int offset = 0;          ///< added to each element
};

struct DotBlock {
  int rows = 1, columns = 1;
  int terms = 1;  ///< per iteration, whose overhead is about a product's cost; few sums take more
};

/// Blocks that leave registers free: of elements on any core, of elements with 32 registers, of
/// pairs on Arm.
inline constexpr DotBlock kElementBlock{2, 4, 2}, kLargeElementBlock{4, 4, 2}, kPairBlock{2, 2};

/// Whether terms come in whole words, judging by the steps.
bool comes_in_words(const DotSide& side, int64_t depth);

/// "s01", the uint32_t sum of row 0 and column 1.
std::string dot_sum(int row, int column);
/// Declares a block's sums, of 0.
void print_sums(CWriter& w, DotBlock block);
/// Adds `depth` products to each sum, modulo 2^32. `pairs`: only allowed behind kIfPairs.
void print_dot_products(CWriter& w, const std::array<DotSide, 2>& sides, int64_t depth,
                        DotBlock block, bool pairs);

}  // namespace tinytune
