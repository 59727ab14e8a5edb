// Blocks of six rows of one matrix by four of another, with six sums in four words
// (schedules/lane_words.h), for cores with some 28 registers free for the loop.
//
// A product of single bytes takes two instructions, a multiplication and an addition, and there is
// no cheaper way to add it to a sum of its own. But sums of up to 64 products of bytes have 21
// bits, and three of them fit two words: so rows of one side are staged as words of lanes, once for
// all rows of the other side, and a product takes 4 / 3 instructions and its share of loads. Longer
// rows empty the lanes every 64 terms.
//
// The loop multiplies stored bytes, since zero points would widen the lanes. The zero points' terms
// of (s + a) * (t + b) are added as sums: b times the sum of the s, which staging computes, a times
// the sum of the t, once a row and only if a is not 0, and a constant.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/dot_products.h"

namespace tinytune {

struct LaneBlocks {
  DotSide staged, streamed;
  std::string staged_row, streamed_row;  ///< loop variables, in `from` of either side
  int staged_rows = 0, streamed_rows = 0;
  int64_t depth = 0;

  /// Whether there are enough rows, loads reach the streamed side and the stack has room.
  bool fit() const;
  /// Estimates the instructions of all rows, to choose the staged side, or plain blocks instead.
  int64_t instructions() const;
  /// The number of staged rows in blocks, which come first.
  int rows_in_blocks() const { return ones_row() ? staged_rows : staged_rows / kLanes * kLanes; }

  /// Prints lines that store `sum`; both rows are counted from the loop variables.
  using Store = std::function<void(int staged, int streamed, const std::string& sum)>;
  /// Prints lines in front of a block's stores.
  using BeforeStores = std::function<void()>;
  /// Prints the sums of the rows in blocks with all streamed rows.
  void print(CWriter& w, const BeforeStores& begin, const Store& store) const;

 private:
  static constexpr int kLanes = 3;
  // A block is two groups of three rows, or one group at the end.
  struct Block {
    int rows, lanes, words;  // of the staged side; if lanes > rows, the last lane holds ones
    int columns;             // rows of the streamed side
    bool ones() const { return lanes > rows; }
  };

  // Whether one block is two rows and a row of ones, which sums the streamed rows.
  bool ones_row() const { return staged.offset != 0 && staged_rows % kLanes == 2; }
  void print_rows(CWriter& w, int first, int end, int rows, const BeforeStores& begin,
                  const Store& store) const;
  void print_streamed_sums(CWriter& w) const;
  void print_staging(CWriter& w, const Block& block) const;
  void print_products(CWriter& w, const Block& block) const;
  void print_columns(CWriter& w, const Block& block) const;
  void print_block(CWriter& w, const Block& block, const Store& store) const;
  std::string start_of(int row, int column) const;
  int terms() const;   // per pass
  int chunks() const;  // passes, between which lanes are emptied
};

}  // namespace tinytune
