// The inner loop of SMLAD kernels: the sums of a tile of channels by pixels, over a run of pairs.
//
// It is assembly, because what it gains hangs on registers: a tile takes all fourteen, and one that
// LLVM spills costs more than a product. Loads stand in groups, since on a Cortex-M4 the second and
// later ones of a group take one cycle and a load by itself two: as many pairs of inputs as fit are
// loaded at once, with as many words of weights as registers are left. A group of 2 channels by 3
// pixels with joined weights is 4 loads, 1 SXTB16 and 6 SMLAD: 12 cycles for 12 products.
#pragma once

#include <cstddef>
#include <string>

#include "templates/channel_loop.h"
#include "templates/ir_text.h"
#include "templates/smlad_weights.h"

namespace tinytune {

/// Where the inputs of a tile are, in bytes from the loop's cursor.
struct SmladInputs {
  int64_t pair_bytes;     ///< from a pair to the next of its step
  int64_t pixel_bytes;    ///< from a pixel to the next
  int64_t step_bytes;     ///< from a step to the next
  bool as_bytes = false;  ///< words of four inputs, widened in the loop: of one pixel
};

class SmladLoop {
 public:
  using Value = IrText::Value;
  using Values = IrText::Values;

  SmladLoop(const SmladTile& tile, const SmladInputs& inputs, int step, IrText& ir,
            const ChannelLoop& channels)
      : tile_(tile), inputs_(inputs), step_(step), ir_(ir), param_bytes_(channels.param_bytes()) {}

  /// Whether registers and the reach of a load's offset suffice. `step`: pairs between tests.
  static bool fits(const SmladTile& tile, const SmladInputs& inputs, int step);

  /// What is carried: the cursors of weights and inputs, and a sum each. `params` are of the tile's
  /// first channel; the first word of each is its bias.
  Values start(const Value& weights, const Value& inputs, const Value& params);
  /// Adds products until the cursor of weights is `weights_end`, whole steps from here.
  Values run(const Values& carried, const Value& weights_end);
  /// The sums of pixels and channels from what was carried last; see index().
  Values finish(const Value& params, const Values& carried);

  size_t index(int pixel, int channel) const {
    return static_cast<size_t>(pixel * tile_.channels + channel);
  }

 private:
  const SmladTile tile_;
  const SmladInputs inputs_;
  const int step_;
  IrText& ir_;
  const int param_bytes_;
};

}  // namespace tinytune
