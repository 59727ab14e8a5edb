// Rows of a 3x3 depthwise window for cores with the Arm DSP extension, in assembly.
//
// Of one channel: its inputs lie widened to 16 bits side by side, so a word holds two neighbours,
// and SMLAD multiplies both with two neighbouring weights. A kernel row is two words of weights,
// (w0, w1) and (w1, w2), and with them any output takes two instructions a row: an even one
//
//   SMLAD of (x0, x1) with (w0, w1), SMLABT of (x2, x3) with (w1, w2): x2 * w2,
//
// and an odd one, of a stride of 1, SMLATB of (x0, x1) with (w0, w1): x1 * w0, then SMLAD of
// (x2, x3) with (w1, w2). The six words and four sums leave two registers: words of inputs come by
// twos, and each serves all outputs of the tile that it meets.
#pragma once

#include <cstdint>

#include "schedules/workload.h"
#include "templates/smlad/smlad_step.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

struct SmladColumns {
  static constexpr int kMostPixels = 4;  // of a tile
  static constexpr int kWeightWords = 6;

  const Workload& w;
  int64_t row_bytes;  ///< from a row of widened inputs to the next
  int rows, pixels;   ///< of outputs; of a tile, even
  LoadOrder loads;    ///< grouped or paired

  /// Whether the layer's shape, requantisation and clamp are what this computes.
  static bool supports(const Workload& workload);
  /// Whether loads reach.
  bool fits() const;

  /// All rows of one channel. `inputs`: the first row, with its border; `params`: of the channel;
  /// `shared`: what ChannelLoop::end() points to; `output`: the channel in the first pixel.
  struct Place {
    Value inputs, output, weights, params, shared;
  };
  void write(const Place& place, IrText& ir) const;
};

}  // namespace tinytune
