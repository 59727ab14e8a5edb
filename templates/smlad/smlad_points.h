// The matrix products of a Winograd kernel for SMLAD, in one piece of assembly.
//
// Each point is a product of its own: weights [pair][channel] with inputs [pair][tile]. Both arrays
// are read from front to back over all points, and what a channel's sums start from stands before
// the weights of its point, so that two cursors do for everything; where the sums go waits on the
// stack.
#pragma once

#include <cstdint>

#include "templates/smlad/smlad_step.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

class SmladPoints {
 public:
  using Value = IrText::Value;

  /// `tile`: channels by squares, its weights as pairs. `step`: pairs between tests of the loop, a
  /// divisor of `pairs`.
  SmladPoints(const SmladTile& tile, int points, int64_t pairs, int step, LoadOrder loads)
      : tile_(tile), points_(points), pairs_(pairs), step_(step), loads_(loads) {}

  bool fits() const;

  /// What a block of channels takes: of weights with what sums start from, of inputs, of sums.
  int64_t weight_bytes() const {
    return points_ * (int64_t{4} * tile_.channels + tile_.weight_bytes(pairs_));
  }
  int64_t input_bytes() const { return points_ * pairs_ * tile_.pixels * 4; }
  int64_t sum_bytes() const { return int64_t{4} * points_ * tile_.channels * tile_.pixels; }

  /// Stores the sums of all points to `sums`, [point][channel][square]; returns where the weights
  /// end.
  Value write(const Value& weights, const Value& inputs, const Value& sums, IrText& ir) const;

 private:
  SmladInputs inputs() const {
    const int64_t pair = int64_t{4} * tile_.pixels;
    return {pair, 4, pair * step_};
  }

  const SmladTile tile_;
  const int points_;
  const int64_t pairs_;
  const int step_;
  const LoadOrder loads_;
};

}  // namespace tinytune
