// The matrix products of a Winograd kernel in LLVM's hands: weights [point][term][channel] with
// transformed inputs, for every point.
//
// On cores whose registers LLVM has to count (SMLAD) assembly does it better: smlad_points.h.
#pragma once

#include <cstdint>

#include "templates/tile/ir_text.h"

namespace tinytune {

struct WinogradProducts {
  using Value = IrText::Value;

  int points, tiles, oc;
  int64_t terms;
  int step;             ///< terms between tests of the loop, a divisor
  bool smlad;           ///< elements are pairs of 16 bits, else single ones
  int64_t term_bytes;   ///< of inputs, from a term to the next; squares are side by side
  int64_t point_bytes;  ///< and from a point to the next

  int element_bytes() const { return smlad ? 4 : 2; }

  /// Stores the sums of all points to `sums`, [point][channel][square]; returns where the weights
  /// end.
  Value write(const Value& weights, const Value& inputs, const Value& sums, IrText& ir) const;
};

}  // namespace tinytune
