// Blocks of four rows of one matrix by one of another, or two by two, in assembly, for cores with
// Arm's DSP extension.
//
// Both sides widened in the loop leave no register for the loop itself. So one side's rows are
// widened once, on the stack, their zero point included, and serve all rows of the other. Four
// words of them come by one LDM; a word of a row of the other side is widened by two SXTB16 and
// meets four rows, or two of its rows meet two: with more instructions and fewer words, which is
// better on cores that issue one instruction at a time and wait for loads. What is staged may lie
// in any order, which a matrix that is not transposed asks for. The other side's zero point costs a
// product a block: (s + a) * (t + b) is (s + a) * t and b times the sum of the s + a.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/dot_products.h"

namespace tinytune {

struct PairBlocks {
  DotSide staged, streamed;
  int staged_rows = 2;  ///< of a block: 4 or 2
  int64_t depth = 0;
  bool staged_in_words = false;  ///< of four neighbouring terms

  int streamed_rows() const { return 4 / staged_rows; }
  /// How many of a side's rows a block has best staged.
  static int best_staged_rows(int rows, bool in_order);
  /// Whether the streamed side comes in words within a load's reach, and the stack has room.
  bool fit() const;
  /// Declares `staged` and fills it from `staged.from`.
  void print_staging(CWriter& w) const;
  /// Declares the sums of a block, "s01" of staged row 0 and streamed row 1, modulo 2^32.
  void print_sums(CWriter& w) const;

 private:
  // Four terms of a block.
  void print_four_by_one(CWriter& w) const;
  void print_two_by_two(CWriter& w) const;
};

/// Lines that store, at `output`, the byte nearest to zero_point + requantise(sum), which the
/// reference rounds twice; of a sum of at most `reach`.
struct PairRequantise {
  int32_t multiplier;
  int shift, zero_point;
  int64_t reach;

  /// Whether 32 bits suffice for it.
  bool fits() const;
  void print_store(CWriter& w, const std::string& output, const std::string& sum) const;
};

}  // namespace tinytune
