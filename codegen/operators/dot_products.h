// Blocks of dot products of bytes as C text: some rows of one side by some columns of the other, so
// that an element that was loaded is multiplied by all of the other side's.
//
// Where terms lie next to each other in whole words, cores with Arm's DSP extension widen four of
// them with two instructions, zero point included, and multiply them with two more (pair_text.h);
// all others run the same sums element by element.
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
  int offset = 0;          ///< added to each
};

struct DotBlock {
  int rows = 1, columns = 1;
  int terms = 1;  ///< of a turn of the loop, which costs as much as a product; few sums take more
};

/// Blocks that leave registers free: of elements on any core and where there are 32, of pairs on
/// Arm's.
inline constexpr DotBlock kElementBlock{2, 4, 2}, kLargeElementBlock{4, 4, 2}, kPairBlock{2, 2};

/// Whether terms come in whole words, as far as steps say.
bool comes_in_words(const DotSide& side, int64_t depth);

/// "s01", the uint32_t sum of row 0 and column 1.
std::string dot_sum(int row, int column);
/// Declares a block's sums, of 0.
void print_sums(CWriter& w, DotBlock block);
/// Adds `depth` products to each sum, modulo 2^32. `pairs`: behind kIfPairs only.
void print_dot_products(CWriter& w, const std::array<DotSide, 2>& sides, int64_t depth,
                        DotBlock block, bool pairs);

}  // namespace tinytune
