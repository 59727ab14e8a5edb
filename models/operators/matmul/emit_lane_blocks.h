// Blocks of six rows of one matrix by four of another, with six sums in four words
// (schedules/lane_words.h), for cores whose loop has some 28 registers for itself.
//
// A product of single bytes takes two instructions, a multiplication and an addition, and there is
// no cheaper way to add it to a sum of its own. Sums of up to 64 products of bytes have 21 bits,
// though, and three of them fit two words: so rows of one side are staged as words of lanes, once
// for all rows of the other side, and a product takes 4 / 3 instructions and its share of loads.
// Longer rows empty the lanes every 64 terms.
//
// What is multiplied are bytes as they come, since zero points would widen the lanes. Their terms
// come by sums: of (s + a) * (t + b) they are b times the sum of the s, which staging gives, a
// times the sum of the t, once a row and only if a is not 0, and a constant.
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

  /// Whether the streamed side is in reach of loads and the stack has room.
  bool fit() const;
  /// Instructions of all rows; an estimate, to choose a side and between these and plain blocks.
  int64_t instructions() const;
  /// Staged rows that are in blocks: the first ones.
  int rows_in_blocks() const { return ones_row() ? staged_rows : staged_rows / kLanes * kLanes; }

  /// Lines that store the sum of row `staged` and row `streamed`, both from the loop variables on.
  using Store = std::function<void(int staged, int streamed, const std::string& sum)>;
  /// Lines in front of a block's stores.
  using BeforeStores = std::function<void()>;
  /// The sums of the rows in blocks by all streamed rows.
  void print(CWriter& w, const BeforeStores& begin, const Store& store) const;

 private:
  static constexpr int kLanes = 3;
  // A block is two groups of three rows, or one where no more are left.
  struct Block {
    int rows, lanes, words;  // of the staged side; a lane more than rows is one of ones
    int columns;             // rows of the streamed side
    bool ones() const { return lanes > rows; }
  };

  // Whether two rows and one of ones are a block.
  bool ones_row() const { return staged.offset != 0 && staged_rows % kLanes == 2; }
  void print_rows(CWriter& w, int first, int end, int rows, const BeforeStores& begin,
                  const Store& store) const;
  void print_streamed_sums(CWriter& w) const;
  void print_staging(CWriter& w, const Block& block) const;
  void print_products(CWriter& w, const Block& block) const;
  void print_columns(CWriter& w, const Block& block) const;
  void print_block(CWriter& w, const Block& block, const Store& store) const;
  std::string start_of(int row, int column) const;
  int terms() const;   // of a pass
  int chunks() const;  // between which lanes are emptied
};

}  // namespace tinytune
