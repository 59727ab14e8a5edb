// Blocks of two rows of one matrix by two of another in assembly, for cores with Arm's DSP
// extension.
//
// Both sides widened in the loop leave no register for the loop itself. So one side's rows are
// widened once, on the stack, their zero point included, and serve all rows of the other: a step of
// four terms is then two double loads, two loads, four SXTB16 and eight SMLAD. What is staged may
// lie in any order, which a matrix that is not transposed asks for. The other side's zero point
// costs a product a block: (s + a) * (t + b) is (s + a) * t and b times the sum of the s + a.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/dot_products.h"

namespace tinytune {

struct PairBlocks {
  static constexpr int kRows = 2;  ///< of each side

  DotSide staged, streamed;
  int64_t depth = 0;
  bool staged_in_words = false;  ///< of four neighbouring terms

  /// Whether the streamed side comes in words within a load's reach, and the stack has room.
  bool fit() const;
  /// Declares `staged` and fills it from `staged.from`.
  void print_staging(CWriter& w) const;
  /// Declares the sums of a block, "s01" of staged row 0 and streamed row 1, modulo 2^32.
  void print_sums(CWriter& w) const;
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
