// Blocks of four rows of one matrix by one of another, or two by two, in assembly, for cores with
// Arm's DSP extension.
//
// Widening both sides in the loop leaves no register for the loop itself. So the rows of one side
// are staged: widened once, on the stack, zero point included, for all rows of the other side. One
// LDM loads four words of them. A word of a streamed row is widened by two SXTB16 and multiplied
// with four staged rows; or two streamed rows with two staged ones, by more instructions but fewer
// loads, which is better on cores that issue one instruction at a time and wait for loads. Staged
// rows may have any order in memory, as a matrix that is not transposed needs. The streamed side's
// zero point costs a product a block: (s + a) * (t + b) is (s + a) * t and b times the sum of the
// s + a.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/dot_products.h"

namespace tinytune {

struct PairBlocks {
  DotSide staged, streamed;
  int staged_rows = 2;  ///< per block: 4 or 2
  int64_t depth = 0;
  bool staged_in_words = false;  ///< four neighbouring terms are a word

  int streamed_rows() const { return 4 / staged_rows; }
  /// Returns the best number of staged rows per block for a side of `rows`.
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

/// Prints lines that store, at `output`, the byte nearest to zero_point + requantise(sum), rounded
/// twice as in the reference. The magnitude of `sum` is at most `reach`.
struct PairRequantise {
  int32_t multiplier;
  int shift, zero_point;
  int64_t reach;

  /// Whether 32 bits suffice.
  bool fits() const;
  void print_store(CWriter& w, const std::string& output, const std::string& sum) const;
};

}  // namespace tinytune
